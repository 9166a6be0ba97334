import { isObject } from '../../validation/json-schema/check.ts';
import { type JsonObject, listOf, textOf } from './document.ts';

/** A reserved name, so that nothing is sent before the address is filled in. */
const unknownServer = 'https://server.invalid';

export interface ServerUrl {
  url: string;
  notes: string[];
}

/** The first complete address in the nearest list of servers. */
export function serverUrl(levels: readonly JsonObject[], documentUrl: string | undefined): ServerUrl {
  const servers = levels.map((level) => listOf(level['servers'])).find((list) => list.length > 0) ?? [];
  const urls = servers.filter(isObject).map((server) => fillVariables(server));
  const complete = (urls.length > 0 ? urls : ['/']).flatMap((url) => completed(url, documentUrl));
  const [first, ...others] = [...new Set(complete)];
  if (first === undefined) {
    const note = `The document names no complete server address: put it in the place of ${unknownServer}.`;
    return { url: unknownServer + (urls[0]?.startsWith('/') ? trimmed(urls[0]) : ''), notes: [note] };
  }
  const rest = others.filter((other) => other !== first);
  return {
    url: first,
    notes: rest.length > 0 ? [`Other servers can be used as well: ${rest.join(', ')}.`] : [],
  };
}

function fillVariables(server: JsonObject): string {
  const variables = isObject(server['variables']) ? server['variables'] : {};
  return textOf(server['url']).replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isObject(variable) ? (variable['default'] ?? listOf(variable['enum'])[0]) : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}

function completed(url: string, documentUrl: string | undefined): string[] {
  if (url.includes('{')) return [];
  const found = URL.parse(url, documentUrl);
  if (!found || (found.protocol !== 'http:' && found.protocol !== 'https:')) return [];
  return [trimmed(found.origin + found.pathname)];
}

const trimmed = (url: string) => url.replace(/\/+$/, '');
