import { placeholdersIn } from '@svc/contract/placeholders';
import type { CatalogEntry } from '@svc/contract/tools';
import type { FieldSchema, FormValue } from '../../kit/schema-fields.ts';

/** Whether a type has nothing to configure. */
export function needsNothing({ configuration_schema: schema }: CatalogEntry): boolean {
  return Object.keys((schema as FieldSchema).properties ?? {}).length === 0;
}

const templates = new Set(['url', 'headers', 'query', 'body', 'approval_title']);

/** Names in `{{…}}` of a field that are not among the parameters yet. */
export function missingParameters(configuration: FormValue, field: string): string[] {
  if (!templates.has(field)) return [];
  const used = placeholdersIn(JSON.stringify(configuration[field] ?? ''));
  const parameters = configuration['parameters'] as FieldSchema | undefined;
  const known = Object.keys(parameters?.properties ?? {});
  return [...new Set(used)].filter((name) => !known.includes(name));
}
