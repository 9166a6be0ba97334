import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import type { Services } from '../../services.ts';
import { type VoiceNumberRow, voiceNumberStore } from './phone-numbers.store.ts';
import { auditedFields } from './phone-numbers.wire.ts';

/** Which workspace may use which number: what the operator of the service decides. */
export function createNumberAssignments({ database, workspaces }: Pick<Services, 'database' | 'workspaces'>) {
  return {
    /** The numbers that workspaces may use, and whether a bot answers them. */
    listAll: () => voiceNumberStore.listAssignedAcrossWorkspaces(database.acrossWorkspaces),

    /** Takes the number from another workspace, unless a bot of that one answers it. */
    assign(phoneNumber: string, workspaceId: string): Promise<void> {
      return changeLocked(phoneNumber, async (tx, { assignee, used }) => {
        await workspaces.getWithin(tx, workspaceId);
        if (used && used.workspaceId !== workspaceId) throw inUse(used);
        if (assignee === workspaceId) return;
        if (assignee) await note(tx, assignee, 'number.unassigned', phoneNumber);
        await voiceNumberStore.assign(tx, workspaceId, phoneNumber);
        await note(tx, workspaceId, 'number.assigned', phoneNumber);
      });
    },

    /** Returns the workspace that had it. A number that a bot answers is only taken away if it is to be removed. */
    unassign(phoneNumber: string, { removesUsed }: { removesUsed: boolean }): Promise<string> {
      return changeLocked(phoneNumber, async (tx, { assignee, used }) => {
        const workspaceId = assignee ?? used?.workspaceId;
        if (!workspaceId) throw new Error('This number is not assigned to any workspace.');
        if (used) {
          if (!removesUsed) throw inUse(used);
          await voiceNumberStore.delete(tx, used.workspaceId, used.id);
          const object = { id: used.id, name: used.phoneNumber };
          await recordChange(tx, used.workspaceId, {
            action: 'number.deleted',
            object,
            before: auditedFields(used),
          });
        }
        await voiceNumberStore.unassign(tx, workspaceId, phoneNumber);
        await note(tx, workspaceId, 'number.unassigned', phoneNumber);
        return workspaceId;
      });
    },
  };

  function changeLocked<Result>(
    phoneNumber: string,
    change: (
      tx: Transaction,
      now: { assignee: string | undefined; used: VoiceNumberRow | undefined },
    ) => Promise<Result>,
  ): Promise<Result> {
    return database.acrossWorkspaces.transaction(async (tx) => {
      await voiceNumberStore.lockPhoneAcrossWorkspaces(tx, phoneNumber);
      const assignee = await voiceNumberStore.assigneeOfAcrossWorkspaces(tx, phoneNumber);
      const used = await voiceNumberStore.findByPhoneAcrossWorkspaces(tx, phoneNumber);
      return change(tx, { assignee, used });
    });
  }
}

function note(
  tx: Transaction,
  workspaceId: string,
  action: 'number.assigned' | 'number.unassigned',
  phoneNumber: string,
): Promise<void> {
  return recordChange(tx, workspaceId, { action, object: { id: null, name: phoneNumber } });
}

function inUse({ workspaceId }: VoiceNumberRow): Error {
  return new Error(
    `A bot of the workspace ${workspaceId} answers this number: remove it there first, or with svc numbers unassign --remove.`,
  );
}
