import { placeholder } from '@svc/contract/placeholders';
import type { Room } from './room-for-response.ts';

/** Texts with `{{parameter}}` in them and nothing else: no expressions, no escapes. */

const alone = /^\{\{\s*([\w-]+)\s*\}\}$/;

export type Given = Readonly<Record<string, unknown>>;

/** The parameter's name, when the whole text is one placeholder. */
function lonePlaceholder(template: string): string | undefined {
  return alone.exec(template)?.[1];
}

/** A missing value becomes an empty text. */
export function fill(
  template: string,
  given: Given,
  room: Room,
  encode: (text: string) => string = (text) => text,
): string {
  room.take(Buffer.byteLength(template));
  return template.replaceAll(placeholder, (whole, name: string) => {
    const text = toText(valueOf(given, name));
    const bytes = Buffer.byteLength(text);
    room.take(bytes - whole.length);
    const encoded = encode(text);
    // Encoding makes ASCII of it, and never makes it shorter.
    if (encoded !== text) room.take(encoded.length - bytes);
    return encoded;
  });
}

/** Fills all strings of a JSON value; one that is only a placeholder becomes the value itself, whatever its type. */
export function fillJson(template: unknown, given: Given, room: Room): unknown {
  if (typeof template === 'string') {
    const name = lonePlaceholder(template);
    if (name === undefined) return fill(template, given, room);
    const value = valueOf(given, name);
    room.take(Buffer.byteLength(toText(value)));
    return value;
  }
  if (Array.isArray(template)) return template.map((entry) => fillJson(entry, given, room) ?? null);
  if (typeof template !== 'object' || template === null) return template;
  const filled = Object.entries(template).map(([key, entry]) => [key, fillJson(entry, given, room)] as const);
  return Object.fromEntries(filled.filter(([, entry]) => entry !== undefined));
}

/** As fill, but nothing at all when the text is only a placeholder for something that was not given. */
export function fillOptional(template: string, given: Given, room: Room): string | undefined {
  const name = lonePlaceholder(template);
  return name !== undefined && valueOf(given, name) === undefined ? undefined : fill(template, given, room);
}

/** Inherited properties such as `constructor` are not parameters. */
function valueOf(given: Given, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
