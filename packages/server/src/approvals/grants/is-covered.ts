import { isInside } from '../../lib/is-inside.ts';
import type { Grantable } from '../../tools/tools.service.ts';
import type { GrantRow, ToolGrantRow } from './approval-grants.store.ts';

/** What a grant allows; grants for tools have no machine. */
export type Covering =
  | Pick<GrantRow, 'machineId' | 'kind' | 'directory' | 'command'>
  | Pick<ToolGrantRow, 'toolId' | 'revision' | 'offer'>;

/**
 * Pure: whether a grant allows a call. Commands must be the same words in the same directory; every changed file must be inside; a
 * tool must do what it did.
 */
export function isCovered(call: Grantable, grant: Covering): boolean {
  if (call.kind === 'tool' || 'toolId' in grant)
    return (
      call.kind === 'tool' &&
      'toolId' in grant &&
      call.toolId === grant.toolId &&
      call.revision === grant.revision &&
      call.offer === grant.offer
    );
  if (call.machineId !== grant.machineId || call.kind !== grant.kind) return false;
  if (call.kind === 'command') return call.command === grant.command && call.directory === grant.directory;
  return call.paths.length > 0 && call.paths.every((path) => isInside(path, grant.directory));
}
