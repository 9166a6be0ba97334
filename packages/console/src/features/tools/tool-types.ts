import type { CatalogEntry } from '@svc/contract/tools';
import type { FieldSchema, FormValue } from '../../kit/schema-fields.ts';

/** Whether a type has nothing to configure. */
export function needsNothing({ configuration_schema: schema }: CatalogEntry): boolean {
  return Object.keys((schema as FieldSchema).properties ?? {}).length === 0;
}

const placeholder = /\{\{\s*([\w-]+)\s*\}\}/g;

/** Names in `{{…}}` that are not among the parameters yet. */
export function missingParameters(configuration: FormValue): string[] {
  const templates = ['url', 'headers', 'query', 'body'].map((name) => configuration[name] ?? '');
  const used = [...JSON.stringify(templates).matchAll(placeholder)].flatMap((match) => match[1] ?? []);
  const parameters = configuration['parameters'] as FieldSchema | undefined;
  const known = Object.keys(parameters?.properties ?? {});
  return [...new Set(used)].filter((name) => !known.includes(name));
}
