import { createCleanCheck } from './clean-check.ts';

/** Masks secrets in everything that leaves a tool, because servers echo what they are sent. */
export type Redactor = ReturnType<typeof createRedactor>;

const mask = '***';
/** Shorter secrets cannot be distinguished from ordinary text. */
const shortest = 4;
/** Values that are nested deeper could not be stored. */
const deepest = 48;
/** More than a model or a trace ever gets of a value: the rest is left out. */
const maxEntries = 50_000;
const cut = '…';

export function createRedactor(secrets: readonly (string | undefined)[]) {
  const forms = secrets
    .filter((secret) => secret !== undefined && secret.length >= shortest)
    .flatMap((secret) => formsOf(secret ?? ''))
    // Longest first, because one secret may be part of another.
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
    /** Masks strings and keys. Returns the value itself when there is nothing to mask. */
    json(value: unknown): unknown {
      if (typeof value !== 'object' || value === null) return walk(value, { entries: maxEntries });
      return isClean(value) ? value : walk(value, { entries: maxEntries });
    },
  };
}

/** As it was sent, inside JSON, URL- or form-encoded, and as base64, which basic authentication uses. */
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

/** Results are stored, and PostgreSQL accepts neither U+0000 nor half a surrogate pair. */
function storable(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}
