import type { Services } from '../../../services.ts';
import { SpeechFailed } from '../speech.ts';

export interface ProviderOptions<Limits> extends Pick<Services, 'lane'> {
  apiKey: string;
  baseUrl?: string;
  limits?: Limits;
}

/** A provider as messages name it. */
export interface ProviderName {
  /** For people. */
  label: string;
  keyVariable: string;
}

/** Whether another attempt may succeed: not if the key, the account or the request is the reason. */
export function isPassing(status: number | undefined): boolean {
  return status === undefined || status === 408 || status === 429 || status >= 500;
}

/** What an HTTP status of a provider means for the operator. The reason is the provider's own code, such as `quota_exceeded`. */
export function refusalOf(
  { label, keyVariable }: ProviderName,
  status: number,
  reason?: string,
): SpeechFailed {
  return new SpeechFailed(`${label} ${explain(status, reason, keyVariable)}.`);
}

function explain(status: number, reason: string | undefined, keyVariable: string): string {
  if (status === 402 || reason === 'quota_exceeded') return 'says that the account has no credit left';
  if (status === 401 || status === 403) return `refused the key: check ${keyVariable}`;
  if (status === 404) return 'does not know the voice';
  if (status === 429) return 'allows no more requests at the moment';
  return `answered with HTTP ${status}${reason ? ` (${reason})` : ''}`;
}

/** A provider's own code for what went wrong; anything else, which could repeat a secret, is left out. */
export function safeReason(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z_]{3,40}$/.test(value) ? value : undefined;
}
