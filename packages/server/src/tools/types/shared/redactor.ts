/** Takes secrets out of everything that leaves a tool, whoever put them there: servers echo what they are sent. */
export interface Redactor {
  text(text: string): string;
  /** Strings and keys, as deep as it goes. */
  json(value: unknown): unknown;
}

const mask = '***';
/** What is shorter can not be told from ordinary text. */
const shortest = 4;
/** What is nested deeper could not be stored. */
const deepest = 48;

export function createRedactor(secrets: readonly (string | undefined)[]): Redactor {
  const forms = secrets
    .filter((secret) => secret !== undefined && secret.length >= shortest)
    .flatMap((secret) => formsOf(secret ?? ''))
    // The longest first: one secret may be part of another.
    .toSorted((left, right) => right.length - left.length);

  const text = (given: string) =>
    forms.reduce((clean, form) => clean.replaceAll(form, mask), storable(given));
  const json = (value: unknown, depth = 0): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= deepest) return '…';
    if (Array.isArray(value)) return value.map((entry) => json(entry, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [text(key), json(entry, depth + 1)]),
    );
  };
  return { text, json: (value) => json(value) };
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
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
