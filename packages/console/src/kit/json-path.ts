/** Where a value is in a JSON document: names of fields and positions in lists. */
export type JsonPath = readonly (string | number)[];

/** As the service reads it: `data.items[0].name`, `['a b']`. The whole document is `$`. */
export function formatJsonPath(path: JsonPath, options: { everyEntry?: boolean } = {}): string {
  if (path.length === 0) return '$';
  const text = path.map((step) => formatStep(step, options.everyEntry ?? false)).join('');
  return text.startsWith('.') ? text.slice(1) : text;
}

function formatStep(step: string | number, everyEntry: boolean): string {
  if (typeof step === 'number') return everyEntry ? '[*]' : `[${step}]`;
  if (/^[A-Za-z_$][\w$-]*$/.test(step)) return `.${step}`;
  return step.includes("'") ? `["${step}"]` : `['${step}']`;
}

/** Whether the service can read the path: a name with both kinds of quotes, or a bracket, cannot be written. */
export function isWritable(path: JsonPath): boolean {
  return path.every((step) => typeof step === 'number' || !(step.includes(']') || /'.*"|".*'/s.test(step)));
}

/** Undefined where the document has nothing at the path. */
export function valueAt(document: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>((value, step) => {
    const isTree = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    return isTree ? (value as Record<string | number, unknown>)[step] : undefined;
  }, document);
}

export function isSamePath(one: JsonPath, other: JsonPath): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}
