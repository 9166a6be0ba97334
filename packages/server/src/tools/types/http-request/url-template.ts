import { placeholdersIn, withoutPlaceholders } from '@svc/contract/placeholders';
import { fill, type Given } from './request-template.ts';
import type { Room } from './room-for-response.ts';
import { UnfitParameter } from './unfit-parameter.ts';

/** Scheme, host and port. The host must not be empty: in `https:///a/b` the URL parser would take `a` as the host. */
const authority = /^https?:\/\/[^/?#\\]+/i;
const dotSegment = /^(\.|%2e){1,2}$/i;

/** What is wrong with a URL template, or undefined. Parameters cannot change scheme, host or port. */
export function urlTemplateFault(template: string): string | undefined {
  // The URL parser drops them silently, so what was checked would not be what is sent.
  // oxlint-disable-next-line no-control-regex -- they are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(withoutPlaceholders(template)))
    return 'must not contain spaces, backslashes or control characters';
  const start = authority.exec(template)?.[0];
  if (start === undefined) return 'must start with http:// or https:// and a host';
  if (start.includes('{{')) return 'must not have a parameter in its host';
  const url = URL.parse(withoutPlaceholders(template));
  if (!url?.hostname) return 'must be a complete http or https URL';
  if (url.username || url.password) return 'must not carry a user name or password: use basic authentication';
  if (rawSegments(template).some((segment) => dotSegment.test(segment))) return 'must not contain .. or .';
  return undefined;
}

/**
 * Fills in the parameters. Each value stays in its place: `/`, `?` and `#` are encoded, and a segment that becomes `..` is
 * refused, because servers and URL parsers treat its encoded form the same way.
 */
export function fillUrl(template: string, given: Given, room: Room): URL {
  for (const name of placeholdersIn(pathOf(template))) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined || value === null || value === '')
      throw new UnfitParameter(`${name} is required, because it is part of the URL.`);
  }
  const filled = fill(template, given, room, (text) => encodeURIComponent(text.toWellFormed()));
  if (rawSegments(filled).some((segment) => dotSegment.test(segment)))
    throw new UnfitParameter('A segment of the URL cannot be . or ..');
  const url = new URL(filled);
  url.hash = '';
  return url;
}

function pathOf(template: string): string {
  return template.replace(authority, '').split(/[?#]/)[0] ?? '';
}

function rawSegments(template: string): string[] {
  return pathOf(template).split('/');
}
