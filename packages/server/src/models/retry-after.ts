import type { ProviderFailure } from './classify-failure.ts';

const googleDelay = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/;

/** How long the provider wants us to wait, in any of the formats in use. */
export function parseRetryAfter(failure: ProviderFailure, now: number): number | undefined {
  const milliseconds = header(failure, 'retry-after-ms');
  if (milliseconds !== undefined && isCount(milliseconds)) return Number(milliseconds);
  const value = header(failure, 'retry-after');
  if (value !== undefined) return isCount(value) ? Number(value) * 1000 : untilDate(value, now);
  const inBody = googleDelay.exec(failure.body)?.[1];
  return inBody === undefined ? undefined : Number(inBody) * 1000;
}

function header(failure: ProviderFailure, name: string): string | undefined {
  const value = failure.headers?.[name];
  return Array.isArray(value) ? value[0] : value;
}

function isCount(value: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(value.trim());
}

function untilDate(value: string, now: number): number | undefined {
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
