import { heldNotices } from '../bots/bots.service.ts';
import { heldMachines, heldMachineUses } from '../machines/machines.service.ts';
import { type OpenMembersOptions, openMembers } from '../members/open-members.ts';
import type { Services } from '../services.ts';
import { heldIdentitySecrets } from '../widgets/widgets.service.ts';

/** What people make in features above theirs, and lose with their rights. */
export const holdingKinds = {
  machines: heldMachines,
  machineUses: heldMachineUses,
  identitySecrets: heldIdentitySecrets,
  approvalNotices: heldNotices,
};

/** People, on a node: what is revoked with their rights stops working here at once. */
export function openPeople(
  services: Omit<OpenMembersOptions, 'holdingKinds' | 'onRevoked'> &
    Pick<Services, 'keyCache' | 'machines' | 'widgetKeyCache'>,
) {
  const { keyCache, machines, widgetKeyCache } = services;
  const forget = {
    key: keyCache.forget,
    machine: machines.check,
    identity_secret: widgetKeyCache.forget,
    // Read from the database whenever they are used.
    machine_use: () => undefined,
    approval_notice: () => undefined,
    invitation: () => undefined,
  };
  return openMembers({ ...services, holdingKinds, onRevoked: ({ type, id }) => forget[type](id) });
}
