import { heldNotices } from '../bots/bots.service.ts';
import type { KeyCache } from '../keys/key-cache.ts';
import { heldMachines, heldMachineUses } from '../machines/machines.service.ts';
import type { OpenedMachines } from '../machines/open-machines.ts';
import { type OpenMembersOptions, openMembers } from '../members/open-members.ts';
import type { OpenedWidgets } from '../widgets/open-widgets.ts';
import { heldIdentitySecrets } from '../widgets/widgets.service.ts';

/** What people make in features above theirs, and lose with their rights. */
export const holdingKinds = {
  machines: heldMachines,
  machineUses: heldMachineUses,
  identitySecrets: heldIdentitySecrets,
  approvalNotices: heldNotices,
};

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
    // Read from the database whenever they are used.
    machine_use: () => undefined,
    approval_notice: () => undefined,
    invitation: () => undefined,
  };
  return openMembers({ ...options, holdingKinds, onRevoked: ({ type, id }) => forget[type](id) });
}
