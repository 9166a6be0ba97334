import type { InboxSettings } from '@svc/contract/inbox';
import { recordChange } from '../../audit/audit.service.ts';
import type { Services } from '../../services.ts';
import { assigningStore } from './assigning.store.ts';

export type AssigningService = ReturnType<typeof createAssigning>;

/** Whether and to whom conversations are assigned that begin to wait for a person. */
export function createAssigning({ database }: Pick<Services, 'database'>) {
  return {
    async getSettings(workspaceId: string): Promise<InboxSettings> {
      return {
        assigns_in_turn: await assigningStore.assignsInTurn(database.within(workspaceId), workspaceId),
      };
    },

    replaceSettings(workspaceId: string, settings: InboxSettings): Promise<InboxSettings> {
      return database.within(workspaceId).transaction(async (tx) => {
        const before = { assigns_in_turn: await assigningStore.assignsInTurn(tx, workspaceId) };
        await assigningStore.setAssignsInTurn(tx, workspaceId, settings.assigns_in_turn);
        await recordChange(tx, workspaceId, {
          action: 'inbox.updated',
          object: { id: workspaceId },
          before,
          after: settings,
        });
        return settings;
      });
    },

    /** A member uses the console. */
    noteActive: (workspaceId: string, memberId: string): Promise<void> =>
      assigningStore.noteActive(database.within(workspaceId), workspaceId, memberId),
  };
}
