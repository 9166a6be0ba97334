import { siteExpected } from '@svc/contract/widgets';
import { invalid } from '../lib/app-error.ts';

/** The page that sends a request. */
export interface PageOrigin {
  host: string;
  /** Without a port if it is the usual one. */
  hostAndPort: string;
  port: string;
}

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const hostPattern = new RegExp(`^(?:${label}\\.)*${label}$`);
const maxHostCharacters = 253;
const addressPattern = /^\[[0-9a-f:.]+\]$/;

/** The entries of `allowed_domains` as they are stored; throws for one that no page could match. */
export function readDomains(entries: readonly string[]): string[] {
  return [
    ...new Set(
      entries.map((entry, index) => {
        const domain = readDomain(entry);
        if (domain === undefined) throw invalid(`allowed_domains.${index}`, `must be ${siteExpected}`);
        return domain;
      }),
    ),
  ];
}

/** Undefined if the entry is not a host, a host with its port, or `*.` and a domain. The address of a site's first page is one. */
function readDomain(address: string): string | undefined {
  const entry = address.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const isWildcard = entry.startsWith('*.');
  const given = isWildcard ? entry.slice(2) : entry;
  if (/[\s/\\?#@*%]/.test(given) || given.endsWith(':')) return undefined;
  const url = URL.parse(`http://${given}`);
  if (!url) return undefined;
  const host = url.hostname.replace(/\.$/, '');
  if (!(hostPattern.test(host) || addressPattern.test(host)) || host.length > maxHostCharacters)
    return undefined;
  // A whole top-level domain belongs to nobody; names under localhost never leave the machine.
  if (isWildcard && !host.includes('.') && host !== 'localhost') return undefined;
  if (isWildcard && isAddress(host)) return undefined;
  // The URL does not show port 80, which is not every port.
  const port = /:(\d+)$/.exec(given)?.[1];
  return `${isWildcard ? '*.' : ''}${host}${port === undefined ? '' : `:${Number(port)}`}`;
}

/** Undefined for `null` and everything else that is not the origin of a web page. */
export function readOrigin(origin: string): PageOrigin | undefined {
  const url = URL.parse(origin);
  if (!url || url.origin !== origin || !/^https?:$/.test(url.protocol)) return undefined;
  // No page has a longer name, and the host is stored as where the key was last used.
  if (url.hostname.length > maxHostCharacters) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return { host: url.hostname, hostAndPort: url.host, port };
}

/** Whether a page may use a key. An entry without a port allows every port, and `*.` any depth of subdomain. */
export function isAllowed(domains: readonly string[], page: PageOrigin): boolean {
  return domains.some((domain) => {
    const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(domain) ?? [];
    if (port !== undefined && port !== page.port) return false;
    return name.startsWith('*.') ? page.host.endsWith(name.slice(1)) : page.host === name;
  });
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);
}
