import { createCleanCheck } from './clean-check.ts';

/** Takes secrets out of everything that leaves a tool, whoever put them there: servers echo what they are sent. */
export interface Redactor {
  text(text: string): string;
  /** Strings and keys. The value itself when there is nothing to take out. */
  json(value: unknown): unknown;
}

const mask = '***';
/** What is shorter cannot be told from ordinary text. */
const shortest = 4;
/** What is nested deeper could not be stored. */
const deepest = 48;
/** What has more is larger than what a model or a trace gets of it: the rest is left out. */
const maxEntries = 50_000;
const cut = '…';

export function createRedactor(secrets: readonly (string | undefined)[]): Redactor {
  const forms = secrets
    .filter((secret) => secret !== undefined && secret.length >= shortest)
    .flatMap((secret) => formsOf(secret ?? ''))
    // The longest first: one secret may be part of another.
    .toSorted((left, right) => right.length - left.length);

  const shortestForm = Math.min(...forms.map((form) => form.length));
  const text = (given: string) => {
    const clean = storable(given);
    if (clean.length < shortestForm) return clean;
    return forms.reduce((left, form) => left.replaceAll(form, mask), clean);
  };
  const walk = (value: unknown, left: { entries: number }, depth = 0): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= deepest) return cut;
    const isList = Array.isArray(value);
    const keys = isList ? value.keys() : Object.keys(value);
    const fields = value as Record<number | string, unknown>;
    const pairs: [string, unknown][] = [];
    for (const key of keys) {
      if (left.entries <= 0) {
        pairs.push([cut, cut]);
        break;
      }
      left.entries -= 1;
      pairs.push([isList ? '' : text(String(key)), walk(fields[key], left, depth + 1)]);
    }
    return isList ? pairs.map(([, entry]) => entry) : Object.fromEntries(pairs);
  };
  const isClean = createCleanCheck(forms, deepest);
  return {
    text,
    json(value) {
      if (typeof value !== 'object' || value === null) return walk(value, { entries: maxEntries });
      return isClean(value) ? value : walk(value, { entries: maxEntries });
    },
  };
}

/** As it was sent, inside JSON, inside an address or a form, and as base64, with which basic authentication begins. */
function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  const wellFormed = secret.toWellFormed();
  return [
    ...new Set([
      wellFormed,
      JSON.stringify(wellFormed).slice(1, -1),
      encodeURIComponent(wellFormed),
      new URLSearchParams([['', wellFormed]]).toString().slice(1),
      base64,
      base64.replace(/=+$/, ''),
    ]),
  ];
}

/** PostgreSQL keeps neither the character U+0000 nor half a surrogate pair, and an answer is stored. */
function storable(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}
