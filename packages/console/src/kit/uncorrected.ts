/** What is wrong with the values of a form, by their path. */
export type Faults = ReadonlyMap<string, string>;

/** The faults whose values are still those that were checked. */
export function uncorrected(faults: Faults, checked: unknown, now: unknown): Faults {
  if (checked === now) return faults;
  return new Map(
    [...faults].filter(
      ([path]) => JSON.stringify(valueAt(checked, path)) === JSON.stringify(valueAt(now, path)),
    ),
  );
}

/** The value at a path, or what is in its place: a field can hold as one text what the service takes as a list. */
function valueAt(values: unknown, path: string): unknown {
  if (path === '' || typeof values !== 'object' || values === null) return values;
  if (Object.hasOwn(values, path)) return (values as Record<string, unknown>)[path];
  const [name = '', ...rest] = path.split('.');
  if (!Object.hasOwn(values, name)) return undefined;
  return valueAt((values as Record<string, unknown>)[name], rest.join('.'));
}
