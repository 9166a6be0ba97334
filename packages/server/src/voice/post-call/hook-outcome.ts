import { clip } from '../../validation/clip.ts';

export interface HookOutcome {
  status: 'ok' | 'error' | 'unknown';
  result: unknown;
  error: string | null;
}

const maxErrorLength = 500;
const maxResultLength = 16_000;

export function failedHook(error: string, result: unknown = null): HookOutcome {
  return { status: 'error', result: boundResult(result), error: boundError(error) };
}

/** It may or may not have been carried out. */
export function uncertainHook(error: string, result: unknown = null): HookOutcome {
  return { ...failedHook(error, result), status: 'unknown' };
}

export function cutOffHook(): HookOutcome {
  return uncertainHook('The service was cut off while it ran: it may or may not have been carried out.');
}

export function boundResult(result: unknown): unknown {
  const text = JSON.stringify(result ?? null, (_key, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  );
  return text.length <= maxResultLength ? JSON.parse(text) : { truncated: clip(text, maxResultLength) };
}

function boundError(error: string): string {
  return clip(storable(error), maxErrorLength);
}

/** Without characters that PostgreSQL cannot store. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}
