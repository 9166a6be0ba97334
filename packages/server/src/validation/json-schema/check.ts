import type { Effort } from './effort.ts';
import type { Location } from './faults.ts';

export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** The keywords of one schema. */
export type Keywords = Readonly<Record<string, unknown>>;

export interface EnumValues {
  plain: ReadonlySet<unknown>;
  byShape: ReadonlyMap<string, readonly object[]>;
}

/** The state that keywords share while one value is checked. */
export interface Check {
  readonly effort: Effort;
  /** Adds what is wrong with a value at a location. */
  apply(schema: unknown, value: unknown, location: Location): void;
  fits(schema: unknown, value: unknown): boolean;
  /** Whether a text matches a regular expression of the schema. */
  matches(pattern: string, text: string): boolean;
  /** The schema that a `$ref` refers to; false, which nothing satisfies, when there is none. */
  resolve(reference: string): unknown;
  /** The plain values of an enum, and the others by shape, collected once. */
  enumOf(values: readonly unknown[]): EnumValues;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
