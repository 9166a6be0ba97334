import type { HttpRequestConfiguration } from './configuration.ts';
import { fill, fillJson, fillOptional, type Given } from './template.ts';
import { fillUrl, UnfitParameter } from './url-template.ts';

/** A request as the parameters make it, before authentication. */
export interface BuiltRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Throws UnfitParameter when a parameter would break out of its place. */
export function buildRequest(configuration: HttpRequestConfiguration, given: Given): BuiltRequest {
  const url = fillUrl(configuration.url, given);
  for (const [name, template] of Object.entries(configuration.query)) {
    const value = fillOptional(String(template), given);
    if (value !== undefined) url.searchParams.append(name, value.toWellFormed());
  }
  const built = buildBody(configuration, given);
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(configuration.headers)) {
    const value = fillOptional(template, given);
    if (value === undefined) continue;
    if (/[\r\n\0]/.test(value)) throw new UnfitParameter(`The header ${name} can not hold a line break.`);
    headers[name.toLowerCase()] = value;
  }
  return {
    method: configuration.method,
    url,
    headers: { ...(built && { 'content-type': built.contentType }), ...headers },
    body: built?.text,
  };
}

function buildBody(
  { body, body_type: type }: HttpRequestConfiguration,
  given: Given,
): { text: string; contentType: string } | undefined {
  if (body === undefined || body === null) return undefined;
  switch (type) {
    case 'json': {
      const value = fillJson(typeof body === 'string' ? parseJsonTemplate(body) : body, given);
      return { text: JSON.stringify(value ?? null), contentType: 'application/json' };
    }
    case 'form': {
      const text = formFields(body, given).toString();
      return { text, contentType: 'application/x-www-form-urlencoded' };
    }
    case 'text':
      return {
        text: fill(typeof body === 'string' ? body : JSON.stringify(body), given),
        contentType: 'text/plain; charset=utf-8',
      };
  }
}

/** A JSON body may be written as text; its placeholders stand inside quotes, or it is nothing but one. */
export function parseJsonTemplate(text: string): unknown {
  if (/^\s*\{\{[^{}]*\}\}\s*$/.test(text)) return text.trim();
  return JSON.parse(text) as unknown;
}

/** Lists give their name several times. */
function formFields(body: unknown, given: Given): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, template] of Object.entries(body as Record<string, unknown>)) {
    const value = fillJson(template, given);
    for (const entry of [value].flat()) {
      if (entry === undefined || entry === null) continue;
      fields.append(name, (typeof entry === 'string' ? entry : JSON.stringify(entry)).toWellFormed());
    }
  }
  return fields;
}
