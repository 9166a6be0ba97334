import type { Truncate as TruncateBody, Truncated } from '@svc/contract/truncate';
import type { ApprovalService } from '../../approvals/approvals.service.ts';
import { recordChange } from '../../audit/audit.service.ts';
import { numbered } from '../../events/event.ts';
import { eventLog } from '../../events/event-log.ts';
import { findNoHold, requireNoHold } from '../../legal-holds/legal-holds.service.ts';
import { turnInProgress } from '../admit/turn-in-progress.ts';
import type { RevertedChange, TurnDependencies } from '../turn-dependencies.ts';
import type { StopTurn } from './stop.ts';

export type Truncate = (
  workspaceId: string,
  conversationId: string,
  body: TruncateBody,
  /** The member or account key that asks for it. */
  callerId: string,
) => Promise<Truncated>;

/** Removes everything after a message: messages, events and trace, so that no copy of the text remains. */
export function createTruncate({
  database,
  feed,
  conversations,
  approvals,
  tools,
  stop,
}: Pick<TurnDependencies, 'database' | 'feed' | 'conversations' | 'tools'> & {
  approvals: Pick<ApprovalService, 'countPending'>;
  stop: StopTurn;
}): Truncate {
  return async (
    workspaceId,
    conversationId,
    { message_id: messageId, revert_files: revertsFiles = false },
    callerId,
  ) => {
    // Checked before anything is stopped, so that a wrong id changes nothing.
    await conversations.requireMessage(workspaceId, conversationId, messageId);
    await findNoHold(database.within(workspaceId), workspaceId, { conversationId });
    const pending = await approvals.countPending(workspaceId, conversationId);
    // A paused turn ends here, because what it would continue from is removed.
    if (pending > 0) await stop(workspaceId, conversationId, 'truncate');
    const reverted = revertsFiles
      ? await revert(workspaceId, conversationId, messageId, callerId)
      : undefined;
    const { removed, events, first } = await database.within(workspaceId).transaction(async (tx) => {
      await requireNoHold(tx, workspaceId, { conversationId });
      const { status, lastSequence } = await conversations.lock(tx, workspaceId, conversationId);
      const isAsReverted = !reverted || reverted.lastSequence === lastSequence;
      if (status !== 'idle' || !isAsReverted) throw turnInProgress(conversationId);
      const cut = await conversations.removeAfter(tx, workspaceId, conversationId, messageId);
      await eventLog.removeAfter(tx, workspaceId, conversationId, cut.sequence);
      const truncated = [{ type: 'conversation.truncated' as const, data: { after_message_id: messageId } }];
      const number = await eventLog.append(tx, {
        conversationId,
        turnId: null,
        events: truncated,
        messages: -cut.removed.length,
      });
      await recordChange(tx, workspaceId, {
        action: 'conversation.truncated',
        object: { id: conversationId },
        changes: [{ field: 'removed_messages', before: null, after: cut.removed.length }],
      });
      return { removed: cut.removed, events: truncated, first: number };
    });
    feed.publish(conversationId, numbered(events, first, null), workspaceId);
    const undone = undoneCalls(reverted?.changes ?? []);
    return {
      message: 'Everything after that message was removed.',
      removed_messages: removed.length,
      cancelled_approvals: pending,
      executed_tool_calls: removed
        .flat()
        .filter(({ id }) => !undone.has(id))
        .map(({ id, name }) => ({ id, name })),
      ...(reverted && { reverted_files: reverted.changes.map(({ callId: _id, ...file }) => file) }),
    };
  };

  /**
   * Before anything is removed: if a machine is offline, nothing is lost, and the same request can be repeated. No transaction
   * may wait for a machine, so a turn that begins meanwhile makes the truncation fail, even if it has ended: its changes were not
   * reverted. The request can then be repeated too.
   */
  async function revert(workspaceId: string, conversationId: string, messageId: string, callerId: string) {
    const { status, lastSequence } = await conversations.getRow(workspaceId, conversationId);
    if (status !== 'idle') throw turnInProgress(conversationId);
    const calls = await conversations.listCallsAfter(workspaceId, conversationId, messageId);
    return { lastSequence, changes: await tools.revertChanges(workspaceId, calls, callerId) };
  }
}

/** Calls of which every change was undone. */
function undoneCalls(reverted: readonly RevertedChange[]): ReadonlySet<string> {
  const undone = new Set(reverted.map(({ callId }) => callId));
  for (const { callId, status } of reverted)
    if (status !== 'restored' && status !== 'deleted') undone.delete(callId);
  return undone;
}
