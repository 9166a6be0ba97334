import type { HttpRequestConfiguration } from './http-configuration.ts';
import { fill, fillJson, fillOptional, type Given } from './request-template.ts';
import { createRoom, type Room } from './room-for-response.ts';
import { UnfitParameter } from './unfit-parameter.ts';
import { fillUrl } from './url-template.ts';

/** A request with its parameters filled in, before authentication. */
export interface BuiltRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | undefined;
}

const maxKilobytes = { url: 64, headers: 64, body: 1024 };

/** Throws UnfitParameter when a value would break out of its place or make the request too large. */
export function buildRequest(configuration: HttpRequestConfiguration, given: Given): BuiltRequest {
  const url = buildUrl(configuration, given);
  const headers = buildHeaders(configuration, given);
  const room = createRoom('the body', maxKilobytes.body);
  const body = buildBody(configuration, given, room);
  return {
    method: configuration.method,
    url,
    headers: { ...(body && { 'content-type': body.contentType }), ...headers },
    body: body && room.require(body.text),
  };
}

function buildUrl(configuration: HttpRequestConfiguration, given: Given): URL {
  const room = createRoom('the address', maxKilobytes.url);
  const url = fillUrl(configuration.url, given, room);
  const query = Object.entries(configuration.query);
  // Not url.searchParams, which serialises the whole URL for each entry.
  const search = new URLSearchParams(url.search);
  for (const [name, template] of query) {
    if (configuration.deep_objects.includes(name)) {
      addDeep(search, name, fillJson(template, given, room), room);
      continue;
    }
    const value = fillOptional(String(template), given, room);
    if (value === undefined) continue;
    room.take(Buffer.byteLength(name) + 2);
    search.append(name, value.toWellFormed());
  }
  if (query.length > 0) url.search = room.require(search.toString());
  room.require(url.href);
  return url;
}

function buildHeaders(configuration: HttpRequestConfiguration, given: Given): Record<string, string> {
  const room = createRoom('the headers', maxKilobytes.headers);
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(configuration.headers)) {
    const value = fillOptional(template, given, room);
    if (value === undefined) continue;
    room.take(Buffer.byteLength(name));
    if (/[\r\n\0]/.test(value)) throw new UnfitParameter(`The header ${name} cannot contain a line break.`);
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function buildBody(configuration: HttpRequestConfiguration, given: Given, room: Room) {
  const { body, body_type: type, deep_objects: deep } = configuration;
  if (body === undefined || body === null) return undefined;
  switch (type) {
    case 'json': {
      const value = fillJson(typeof body === 'string' ? parseJsonTemplate(body) : body, given, room);
      return { text: JSON.stringify(value ?? null), contentType: 'application/json' };
    }
    case 'form': {
      const text = formFields(body, deep, given, room).toString();
      return { text, contentType: 'application/x-www-form-urlencoded' };
    }
    case 'text':
      return {
        text: fill(typeof body === 'string' ? body : JSON.stringify(body), given, room),
        contentType: 'text/plain; charset=utf-8',
      };
  }
}

/** A JSON body may be given as text, with its placeholders inside quotes, or as a single placeholder. */
export function parseJsonTemplate(text: string): unknown {
  if (/^\s*\{\{[^{}]*\}\}\s*$/.test(text)) return text.trim();
  return JSON.parse(text) as unknown;
}

/** Lists repeat their name. */
function formFields(body: unknown, deep: readonly string[], given: Given, room: Room): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, template] of Object.entries(body as Record<string, unknown>)) {
    const value = fillJson(template, given, room);
    if (deep.includes(name)) {
      addDeep(fields, name, value, room);
      continue;
    }
    for (const entry of [value].flat()) {
      if (entry === undefined || entry === null) continue;
      room.take(Buffer.byteLength(name) + 2);
      fields.append(name, (typeof entry === 'string' ? entry : JSON.stringify(entry)).toWellFormed());
    }
  }
  return fields;
}

/**
 * Writes objects as `name[key]=`, lists of plain values as `name[]=` and lists of others as `name[0][key]=`, as most servers
 * read them.
 */
function addDeep(fields: URLSearchParams, name: string, value: unknown, room: Room): void {
  if (value === undefined || value === null) return;
  if (typeof value !== 'object') {
    room.take(Buffer.byteLength(name) + 2);
    fields.append(
      name.toWellFormed(),
      (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed(),
    );
    return;
  }
  if (Array.isArray(value)) {
    const isPlain = value.every((entry) => typeof entry !== 'object' || entry === null);
    for (const [index, entry] of value.entries())
      addDeep(fields, `${name}[${isPlain ? '' : index}]`, entry, room);
    return;
  }
  for (const [key, entry] of Object.entries(value)) addDeep(fields, `${name}[${key}]`, entry, room);
}
