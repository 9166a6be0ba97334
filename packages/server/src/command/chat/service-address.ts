import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';

export interface ServiceAddress {
  url: string;
  key: string;
}

/** Where the service is and what opens it: what was typed, or else what is configured. */
export function serviceAddress(
  typed: { url?: string; key?: string },
  config: Pick<Config, 'publicUrl' | 'apiKey' | 'bootstrapKey'>,
): ServiceAddress {
  const key = typed.key ?? config.apiKey ?? config.bootstrapKey;
  if (!key) throw new ConfigError('A key is needed: set SVC_API_KEY or SVC_API_KEY_FILE, or give --key.');
  return { url: typed.url ?? reachable(config.publicUrl), key };
}

/** A service that listens on every address of its machine can be reached on this one. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
