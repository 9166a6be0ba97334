import type { Transaction } from '../../database/database.ts';
import { notFound } from '../../lib/app-error.ts';
import type { RunService } from '../../runs/runs.service.ts';
import type { VoiceCallService } from '../../voice-calls/voice-calls.service.ts';
import { attachmentStore } from '../attachments/attachments.store.ts';
import { branchStore } from '../branches/branches.store.ts';
import { conversationStore } from '../conversations.store.ts';
import type { StoredToolCall } from '../message.ts';
import { titleOf } from '../title.ts';
import { toolCallStore } from '../tool-calls/tool-calls.store.ts';
import { truncationStore } from './truncation.store.ts';

export interface Truncated {
  /** Of the message that is now the last one. */
  sequence: number;
  /** For each removed message, those of its calls that may have changed something outside. */
  removed: StoredToolCall[][];
}

/** Removes everything after a message and what was put aside there, including the summary, the title, outputs of runs and records of calls that are based on it. */
export async function removeAfter(
  tx: Transaction,
  {
    runs,
    voiceCalls,
  }: { runs: Pick<RunService, 'truncate'>; voiceCalls: Pick<VoiceCallService, 'truncate'> },
  place: { workspaceId: string; conversationId: string; messageId: string },
): Promise<Truncated> {
  const { workspaceId, conversationId, messageId } = place;
  const last = await conversationStore.findPosition(tx, workspaceId, conversationId, messageId);
  if (!last) throw notFound();
  const { sequence } = last;
  const effective = await toolCallStore.listEffective(tx, workspaceId, conversationId);
  const begun = await truncationStore.findFirstUserMessage(tx, workspaceId, conversationId);
  await branchStore.removeAfter(tx, workspaceId, messageId);
  const rows = await truncationStore.removeAfter(tx, workspaceId, conversationId, sequence);
  await attachmentStore.deleteUnlisted(tx, workspaceId, conversationId);
  await truncationStore.removeReasons(tx, workspaceId, conversationId, last.createdAt);
  const removed = rows.map(({ toolCalls }) => toolCalls.filter((call) => effective.has(call.id)));
  const turnIds = [...new Set(rows.flatMap(({ turnId }) => turnId ?? []))];
  await runs.truncate(tx, workspaceId, turnIds, last.turnId);
  if (removed.length > 0) await voiceCalls.truncate(tx, workspaceId, conversationId, turnIds);
  // Read within the transaction: taking a second connection while holding one can exhaust the pool.
  const row = await conversationStore.find(tx, workspaceId, conversationId);
  const isUntitled = begun && begun.sequence > sequence && row?.title === titleOf(begun.content);
  const change = {
    ...(row && row.summaryThrough > sequence && { summary: null, summaryThrough: 0 }),
    // A title that was derived from a removed message must go too; one that a person chose stays.
    ...(isUntitled && { title: titleOf(last.content) }),
  };
  if (Object.keys(change).length > 0) await conversationStore.update(tx, workspaceId, conversationId, change);
  return { sequence, removed };
}
