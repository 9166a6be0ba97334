import { invalid } from '../app-error.ts';
import type { splitSecrets } from './secrets.ts';
import type { Configuration } from './tool-type.ts';

/** Fields that determine where a secret is sent. */
const addressFields = ['url', 'oauth_token_url', 'host'];

/**
 * The hosts that a tool's secrets are meant for. A person who may change a tool must not be able to send its stored secrets to
 * another host.
 */
function destinationOf(configuration: Configuration): string {
  return addressFields
    .map((field) => {
      const value = configuration[field];
      const text = typeof value === 'string' ? value : '';
      return URL.parse(text)?.origin ?? text;
    })
    .join(' ');
}

/** A stored secret was given for one host; for another it must be sent again. */
export function checkSecretsStay(
  before: Configuration,
  { open, secrets }: ReturnType<typeof splitSecrets>,
  stored: string[],
): void {
  if (destinationOf(before) === destinationOf(open)) return;
  const kept = stored.find((field) => !(field in secrets.set) && !secrets.cleared.includes(field));
  if (kept) throw invalid(`configuration.${kept}`, 'must be sent again when the address changes');
}
