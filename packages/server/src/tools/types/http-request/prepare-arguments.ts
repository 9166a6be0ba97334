import { isObject } from '../../../validation/json-schema/check.ts';
import { checkJson } from '../../../validation/json-schema/check-json.ts';
import type { ParameterSchema } from './http-configuration.ts';
import type { Given } from './request-template.ts';
import { UnfitParameter } from './unfit-parameter.ts';

/** The arguments with the schema's defaults; throws UnfitParameter with what is wrong, for the model. */
export async function prepareArguments(
  schema: ParameterSchema,
  given: Given,
  workspaceId: string,
  signal: AbortSignal,
): Promise<Given> {
  const defaults = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    isObject(property) && 'default' in property ? [[name, property['default']] as const] : [],
  );
  const complete = { ...Object.fromEntries(defaults), ...given };
  const faults = await checkJson(schema, complete, workspaceId, signal);
  if (faults.length === 0) return complete;
  const sentences = faults.map(({ path, message }) => `${path || 'This'} ${message}`);
  throw new UnfitParameter(`The arguments do not fit: ${sentences.join('; ')}.`);
}
