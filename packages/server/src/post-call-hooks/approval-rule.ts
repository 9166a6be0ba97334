import { AppError } from '../app-error.ts';
import type { Principal } from '../keys/service.ts';
import type { ToolRow } from '../tools/service.ts';

/** The author of a change. */
export type Author = Pick<Principal, 'abilities'>;

/**
 * Throws FORBIDDEN unless the author may answer approvals or the tool needs none. Nobody is asked when a hook runs: whoever
 * configures it decides about its calls.
 */
export function checkMayApprove(
  { configuration }: Pick<ToolRow, 'configuration'>,
  { abilities }: Author,
): void {
  const ability = 'approvals:write';
  if (configuration['approval'] !== 'always' || abilities.has(ability)) return;
  throw new AppError('FORBIDDEN', {
    message: `The calls of this tool need approval, so the key also needs the ability ${ability}.`,
    details: [{ path: 'tool_configuration_id', ability }],
  });
}
