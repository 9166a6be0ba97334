import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '../keys/keys.service.ts';
import { AppError } from '../lib/app-error.ts';
import type { splitSecrets } from './secrets.ts';
import type { Configuration, ToolType } from './tool-type.ts';
import { askFirst, mayEditByLink } from './types/shared/form-groups.ts';

/** The author of a change, or the person who tests a tool. */
export type Approver = Pick<Principal, 'abilities' | 'keyId'>;

/** Throws FORBIDDEN unless they may answer approvals. `why` is the first half of a sentence. */
export function requireApprover({ abilities }: Pick<Approver, 'abilities'>, path: string, why: string): void {
  const ability = 'approvals:write';
  if (abilities.has(ability)) return;
  throw new AppError('FORBIDDEN', {
    message: `${why}, so the key also needs the ability ${ability}.`,
    details: [{ path, ability }],
  });
}

/** Whether some of its calls ask a person first. */
export function mayAsk(type: ToolType, configuration: Configuration): boolean {
  return Object.values(type.asks(configuration)).includes(true);
}

/** Whether calls that may change something run without asking, which is never the default. */
export function changesUnasked(type: ToolType, configuration: Configuration): boolean {
  return unaskedKinds(type, configuration).some((kind) => kind !== 'reads');
}

/**
 * Whether saving a configuration lets something run without approval that did not before: another kind of call, other calls of
 * a kind that does not ask, such as in the name of another account, another request for an access token, or arguments that
 * people change by a link. A new tool may read without asking, and no more.
 */
export function isLooser(
  type: ToolType,
  before: Configuration | undefined,
  { open: after, secrets }: ReturnType<typeof splitSecrets>,
): boolean {
  const known = before ? unaskedKinds(type, before) : ['reads'];
  if (unaskedKinds(type, after).some((kind) => !known.includes(kind))) return true;
  if (mayEditByLink(after) && !(before && mayEditByLink(before))) return true;
  const decidedPart = changesUnasked(type, after) ? actionOf : tokenRequestOf;
  const decided = decidedPart(type, after);
  if (decided === undefined) return false;
  // Whether a secret that is sent is the stored one must not be found out by sending it.
  if (Object.keys(secrets.set).length + secrets.cleared.length > 0) return true;
  return before === undefined || !isDeepStrictEqual(decidedPart(type, before), decided);
}

function unaskedKinds(type: ToolType, configuration: Configuration): string[] {
  return Object.entries(type.asks(configuration)).flatMap(([kind, asks]) => (asks ? [] : kind));
}

const tokenRequestOf = (type: ToolType, configuration: Configuration) => type.tokenRequest?.(configuration);

/** A configuration without the fields that decide whether its calls ask. */
function actionOf({ configurationSchema: { properties } }: ToolType, configuration: Configuration) {
  const fields = Object.entries(configuration).filter(([name]) => properties[name]?.['x-group'] !== askFirst);
  return Object.fromEntries(fields);
}
