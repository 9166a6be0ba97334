import type { KeyCache } from '../keys/key-cache.ts';
import type { OpenedMachines } from '../machines/open-machines.ts';
import { heldMachines } from '../machines/service.ts';
import { type OpenMembersOptions, openMembers } from '../members/open-members.ts';
import type { OpenedWidgets } from '../widgets/open-widgets.ts';
import { heldIdentitySecrets } from '../widgets/service.ts';

/** What people make in features above theirs, and lose with their rights. */
export const holdingKinds = { machines: heldMachines, identitySecrets: heldIdentitySecrets };

export interface OpenPeopleOptions extends Omit<OpenMembersOptions, 'holdingKinds' | 'onRevoked'> {
  keyCache: Pick<KeyCache, 'forget'>;
  machines: Pick<OpenedMachines, 'service'>;
  widgets: Pick<OpenedWidgets, 'forget'>;
}

/** People, on a node: what is revoked with their rights stops working here at once. */
export function openPeople(options: OpenPeopleOptions) {
  const { keyCache, machines, widgets } = options;
  const forget = {
    key: keyCache.forget,
    machine: machines.service.check,
    identity_secret: widgets.forget,
    // Read from the database whenever it is used.
    invitation: () => undefined,
  };
  return openMembers({ ...options, holdingKinds, onRevoked: ({ type, id }) => forget[type](id) });
}
