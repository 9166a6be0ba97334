/**
 * JSON with sorted keys, so that equal requests have equal text. Written piece by piece, because sorted copies of objects
 * with many thousands of keys would take twice as long.
 */
export function canonicalJson(value: unknown, standIns: StandIns = none): string {
  return write(value, standIns) ?? 'null';
}

/** What is written instead of certain texts. */
export type StandIns = ReadonlyMap<string, string>;

const none: StandIns = new Map();

/** Undefined for values that JSON omits. */
function write(value: unknown, standIns: StandIns): string | undefined {
  if (typeof value === 'string') return standIns.get(value) ?? JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((entry) => write(entry, standIns) ?? 'null').join(',')}]`;
  const fields = value as Record<string, unknown>;
  let text = '';
  for (const key of sortedKeys(fields)) {
    const entry = write(fields[key], standIns);
    if (entry !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${entry}`;
  }
  return `{${text}}`;
}

/** Integer keys come first, in numeric order, in every object; stored hashes depend on that. */
function sortedKeys(fields: object): string[] {
  const keys = Object.keys(fields);
  const firstName = keys.findIndex((key) => !isIndex(key));
  if (firstName === -1) return keys;
  const names = (firstName === 0 ? keys : keys.slice(firstName)).toSorted();
  return firstName === 0 ? names : [...keys.slice(0, firstName), ...names];
}

function isIndex(key: string): boolean {
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < 2 ** 32 - 1 && String(index) === key;
}
