import { isIP } from 'node:net';
import { ExplainedError } from '../explained-error.ts';

export interface ServiceAddress {
  /** As it is shown. */
  url: string;
  connect: string;
  whoami: string;
  /** The key would cross a network unencrypted. */
  isExposed: boolean;
}

/** Where the service is: `http://host:port` or `https://host`, with or without a path before `/api`. */
export function parseServiceAddress(text: string): ServiceAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ExplainedError(
      `The URL ${JSON.stringify(text)} must start with http:// or https://, such as https://svc.example.com.`,
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ExplainedError('The URL must not contain a user name, a password, a query or a fragment.');
  }
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  return {
    url: base,
    connect: `${base.replace(/^http/, 'ws')}/api/machines/connect`,
    whoami: `${base}/api/machines/whoami`,
    isExposed: url.protocol === 'http:' && !isLoopback(url.hostname),
  };
}

function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
