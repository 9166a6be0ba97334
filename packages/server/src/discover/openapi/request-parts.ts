import type { JsonObject } from './document.ts';
import { Losses } from './plain-keywords.ts';

/** A request in the making: where the parameters stand, and what the model is told of each. */
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
  /** Told apart by it, when the name is taken: the same word may stand in the path and in the body. */
  place: string;
}

/** Adds a parameter and returns its placeholder. Names that no placeholder can have are bent until they fit. */
export function addParameter(parts: RequestParts, { name, schema, isRequired, place }: NewParameter): string {
  const bent = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || place;
  let free = bent;
  for (let count = 1; Object.hasOwn(parts.properties, free); count += 1) {
    free = count === 1 ? `${place}_${bent}` : `${place}_${bent}_${count}`;
  }
  parts.properties[free] = schema;
  if (isRequired) parts.required.push(free);
  return `{{${free}}}`;
}
