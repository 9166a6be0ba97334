import type { JsonObject } from './document.ts';
import { Losses } from './plain-keywords.ts';

/** A request under construction: where its parameters go, and the schema of each. */
export interface RequestParts {
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: unknown;
  bodyType: 'json' | 'form' | 'text' | undefined;
  /** Entries of the query or of a form whose objects are written with brackets. */
  deepObjects: string[];
  /** What the tool sends anyway, because it has a secret for it. */
  authentication: JsonObject;
  properties: Record<string, JsonObject>;
  required: string[];
  notes: string[];
  losses: Losses;
}

export function emptyParts(path: string, authentication: RequestParts['authentication']): RequestParts {
  return {
    path,
    authentication,
    query: {},
    headers: {},
    body: undefined,
    bodyType: undefined,
    deepObjects: [],
    properties: {},
    required: [],
    notes: [],
    losses: new Losses(),
  };
}

/**
 * Some documents describe a credential twice: as authentication, and as a parameter of each operation. The model must not be
 * asked for a secret that the tool sends. Returns whether the field is such a credential, and then notes that it is left out.
 */
export function leaveOutCredential(
  { authentication, notes }: Pick<RequestParts, 'authentication' | 'notes'>,
  { name, description }: { name: string; description: string },
): boolean {
  const { auth_type: type, header_name: header } = authentication;
  // Other kinds send no token that its owner fills in, so a token among the fields is another one.
  if (type !== 'bearer' && type !== 'header') return false;
  const isHeader = typeof header === 'string' && header.toLowerCase() === name.toLowerCase();
  if (!isHeader && !(credentialName.test(name) && credentialText.test(description))) return false;
  notes.push(`${name} is left out, because the tool sends its own credential: add it if it is another one.`);
  return true;
}

const credentialName = /^(token|auth_?token|access_?token|oauth_?token|api_?(key|token))$/i;
const credentialText = /authenticat|authoriz|access token|oauth|api[ -]?key/i;

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
