import type { ChangeName } from '@svc/contract/machine-protocol';

/** Not taken from the protocol: its schemas would make up most of the time that the process on files needs to start. */
const names: Record<ChangeName, true> = { write_file: true, edit_file: true, apply_patch: true };

export function isChangeName(name: string): name is ChangeName {
  return Object.hasOwn(names, name);
}
