import type { JsonObject } from './document.ts';
import { Losses } from './plain-keywords.ts';

/** A request under construction: where its parameters go, and the schema of each. */
export interface RequestParts {
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: unknown;
  bodyType: 'json' | 'form' | 'text' | undefined;
  properties: Record<string, JsonObject>;
  required: string[];
  notes: string[];
  losses: Losses;
}

export function emptyParts(path: string): RequestParts {
  return {
    path,
    query: {},
    headers: {},
    body: undefined,
    bodyType: undefined,
    properties: {},
    required: [],
    notes: [],
    losses: new Losses(),
  };
}

export interface NewParameter {
  name: string;
  schema: JsonObject;
  isRequired: boolean;
  /** Prefixed to a name that is taken, as the path and the body may both have an `id`. */
  place: string;
}

/** Adds a parameter and returns its placeholder. Characters that placeholders cannot have are replaced. */
export function addParameter(parts: RequestParts, { name, schema, isRequired, place }: NewParameter): string {
  const safe = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || place;
  let free = safe;
  for (let count = 1; Object.hasOwn(parts.properties, free); count += 1) {
    free = count === 1 ? `${place}_${safe}` : `${place}_${safe}_${count}`;
  }
  parts.properties[free] = schema;
  if (isRequired) parts.required.push(free);
  return `{{${free}}}`;
}
