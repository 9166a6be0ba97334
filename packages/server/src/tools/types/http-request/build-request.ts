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

function buildBody({ body, body_type: type }: HttpRequestConfiguration, given: Given, room: Room) {
  if (body === undefined || body === null) return undefined;
  switch (type) {
    case 'json': {
      const value = fillJson(typeof body === 'string' ? parseJsonTemplate(body) : body, given, room);
      return { text: JSON.stringify(value ?? null), contentType: 'application/json' };
    }
    case 'form': {
      const text = formFields(body, given, room).toString();
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
function formFields(body: unknown, given: Given, room: Room): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, template] of Object.entries(body as Record<string, unknown>)) {
    const value = fillJson(template, given, room);
    for (const entry of [value].flat()) {
      if (entry === undefined || entry === null) continue;
      room.take(Buffer.byteLength(name) + 2);
      fields.append(name, (typeof entry === 'string' ? entry : JSON.stringify(entry)).toWellFormed());
    }
  }
  return fields;
}
