import type { Effort } from './effort.ts';

/** Whether two JSON values are equal, whatever the order of their keys. */
export function isSameValue(left: unknown, right: unknown, effort: Effort): boolean {
  if (typeof left === 'string' && typeof right === 'string') effort.spendOnText(left.length);
  else effort.spend(1);
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false;
  if (shapeOf(left, effort) !== shapeOf(right, effort)) return false;
  return effort.deeper(() =>
    Array.isArray(left) && Array.isArray(right)
      ? left.every((entry, index) => isSameValue(entry, right[index], effort))
      : haveSameFields(left as Fields, right as Fields, effort),
  );
}

function haveSameFields(left: Fields, right: Fields, effort: Effort): boolean {
  return Object.keys(left).every(
    (name) => Object.hasOwn(right, name) && isSameValue(left[name], right[name], effort),
  );
}

/** Kind and size, which are the same for equal values. The fields of an object must be listed to be counted. */
export function shapeOf(value: object, effort: Effort): string {
  if (Array.isArray(value)) return `array of ${value.length}`;
  const { length } = Object.keys(value);
  effort.spend(1 + length);
  return `object of ${length}`;
}

/** A text that is equal for equal values only. */
export function canonicalText(value: unknown, effort: Effort): string {
  if (typeof value === 'string') effort.spendOnText(value.length);
  else effort.spend(1);
  // JSON can write zero in two ways: 0 and -0.
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '0' : JSON.stringify(value);
  const text = effort.deeper(() =>
    Array.isArray(value)
      ? `[${value.map((entry) => canonicalText(entry, effort)).join(',')}]`
      : `{${canonicalFields(value as Fields, effort)}}`,
  );
  effort.spendOnText(text.length);
  return text;
}

type Fields = Record<string, unknown>;

function canonicalFields(value: Fields, effort: Effort): string {
  const names = Object.keys(value);
  effort.spend(2 * names.length);
  return names
    .toSorted()
    .map((name) => `${canonicalText(name, effort)}:${canonicalText(value[name], effort)}`)
    .join(',');
}
