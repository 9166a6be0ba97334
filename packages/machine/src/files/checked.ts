import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { Refusal } from '../confine/refusal.ts';

/** Arguments come from the service, which this machine does not trust. */
export function checked<Schema extends TSchema>(schema: Schema, given: unknown): Static<Schema> {
  if (Check(schema, given)) return given;
  const [error] = Errors(schema, given);
  throw new Refusal(`The arguments are not valid: ${error?.instancePath ?? ''} ${error?.message ?? ''}.`);
}
