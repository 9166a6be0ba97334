import type { JsonSchema } from './check.ts';

/**
 * What `#` or `#/$defs/name` refers to in a schema; undefined when there is no such part. References outside the schema are
 * never followed.
 */
export function findReferred(reference: string, root: JsonSchema): unknown {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  let found: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A literal percent sign.
    return part;
  }
}
