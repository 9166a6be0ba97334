import { isInside } from '../../lib/is-inside.ts';
import type { Grantable } from '../../tools/tools.service.ts';
import type { GrantRow } from './approval-grants.store.ts';

/** Pure: whether a grant allows a call. Commands must be the same words in the same directory; every changed file must be inside. */
export function isCovered(
  call: Grantable,
  grant: Pick<GrantRow, 'machineId' | 'kind' | 'directory' | 'command'>,
): boolean {
  if (call.machineId !== grant.machineId || call.kind !== grant.kind) return false;
  if (call.kind === 'command') return call.command === grant.command && call.directory === grant.directory;
  return call.paths.length > 0 && call.paths.every((path) => isInside(path, grant.directory));
}
