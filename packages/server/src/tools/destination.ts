import type { Configuration } from './tool-type.ts';

/** Fields that say where a secret goes. */
const addressFields = ['url', 'oauth_token_url', 'host'];

/**
 * The hosts that a tool's secrets are meant for. Who may change a tool must not be able to have its stored secrets sent
 * to a host of their own.
 */
export function destinationOf(configuration: Configuration): string {
  return addressFields
    .map((field) => {
      const value = configuration[field];
      const text = typeof value === 'string' ? value : '';
      return URL.parse(text)?.origin ?? text;
    })
    .join(' ');
}
