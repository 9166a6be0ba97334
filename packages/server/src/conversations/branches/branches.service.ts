import type { Attachment } from '@svc/contract/attachments';
import { type Branch, type BranchChoice, maxBranches } from '@svc/contract/branches';
import { rulesOf } from '@svc/contract/channels';
import type { Transaction } from '../../database/database.ts';
import { type NewEvent, numbered } from '../../events/event.ts';
import { eventLog } from '../../events/event-log.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import { type ConversationRow, conversationStore } from '../conversations.store.ts';
import { titleOf } from '../title.ts';
import { toolCallStore } from '../tool-calls/tool-calls.store.ts';
import { truncationStore } from '../truncation/truncation.store.ts';
import { type BranchRow, branchStore, type Fork, type ReplacedMessage } from './branches.store.ts';

/** Where a new branch begins, and what the user says in it. */
export interface NewBranch extends Fork {
  id: string;
  /** The turn whose message is repeated or edited. */
  turnId: string;
  content: string;
  /** The files of the message stay with it. */
  attachments: Attachment[] | null;
}

export type ConversationBranches = ReturnType<typeof createConversationBranches>;

/**
 * A message that is answered again, or written again with another text, begins a branch: a turn of its own in the place of what followed before.
 * That is put aside with its own branch: no reader of the conversation finds it, and it can be chosen again.
 */
export function createConversationBranches({
  clock,
  database,
  feed,
}: Pick<Services, 'clock' | 'database' | 'feed'>) {
  return {
    /**
     * The branch that answers a message again, or begins with another text in the place of a user's message. Throws unless there
     * can be one.
     */
    async plan(
      row: ConversationRow,
      { messageId, content }: { messageId: string; content?: string | undefined },
    ): Promise<NewBranch> {
      requireBranches(row);
      const place = placeOf(row);
      const query = database.within(row.workspaceId);
      const beginning = await branchStore.findBeginning(query, place, messageId);
      if (!beginning) {
        if (!(await conversationStore.findPosition(query, row.workspaceId, row.id, messageId)))
          throw notFound();
        throw invalid('message_id', "must be a user's message, or one with which the bot answered it");
      }
      if (content !== undefined && beginning.messageId !== messageId.toLowerCase())
        throw invalid('message_id', 'must be the message of a user that began a turn');
      const { afterMessageId, afterSequence, turnId, attachments } = beginning;
      const text = content ?? beginning.content;
      return { id: newId(), afterMessageId, afterSequence, turnId, content: text, attachments };
    },

    /** Puts aside what followed until now. In the transaction that wrote the branch's turn, and so with its conversation locked. */
    async begin(
      tx: Transaction,
      {
        workspaceId,
        conversationId,
        turnId,
      }: { workspaceId: string; conversationId: string; turnId: string },
      branch: NewBranch,
    ): Promise<void> {
      const row = await lock(tx, workspaceId, conversationId);
      requireBranches(row);
      if ((await branchStore.findSequence(tx, workspaceId, branch.afterMessageId)) === undefined)
        throw notFound();
      const place = placeOf(row);
      const after = await branchStore.listAfter(tx, place, branch);
      const first = after.find((message) => message.turnId === turnId);
      const replaced = after.filter((message) => message.turnId !== turnId);
      const [before] = replaced;
      // They were removed, or put aside by somebody else, since the branch was planned.
      if (!first || !before) throw notFound();
      await requireReplaceable(tx, row, replaced);
      const known = await branchStore.listPlaced(tx, place);
      const { afterMessageId } = branch;
      const current = known.find((other) => other.afterMessageId === afterMessageId && other.isCurrent);
      if (known.length + (current ? 1 : 2) > maxBranches)
        throw refused(`A conversation has at most ${maxBranches} branches.`);
      const createdAt = clock.now();
      const left = current ?? { id: newId(), afterMessageId, firstMessageId: before.id, createdAt };
      const begun = { id: branch.id, afterMessageId, firstMessageId: first.id, createdAt };
      await branchStore.insert(
        tx,
        place,
        [...(current ? [] : [left]), begun].map((added) => ({ ...added, isCurrent: false })),
      );
      await branchStore.choose(tx, place, begun);
      await branchStore.putAside(
        tx,
        place,
        replaced.map(({ id }) => id),
        left.id,
      );
      await settle(tx, row, branch, before);
    },

    /** Oldest first. Those that follow a message that is put aside itself are in the list, too. */
    async list(row: Pick<ConversationRow, 'workspaceId' | 'id'>): Promise<Branch[]> {
      const rows = await branchStore.list(database.within(row.workspaceId), placeOf(row));
      return rows.map(({ branch, text }) => ({
        id: branch.id,
        after_message_id: branch.afterMessageId,
        first_message_id: branch.firstMessageId,
        text,
        is_current: branch.isCurrent,
        created_at: branch.createdAt.toISOString(),
      }));
    },

    /** Puts a branch in force, and the one that was at its place aside. */
    async choose(
      { workspaceId, id: conversationId }: Pick<ConversationRow, 'workspaceId' | 'id'>,
      { branch_id: branchId }: BranchChoice,
    ): Promise<void> {
      const announced = await database.within(workspaceId).transaction(async (tx) => {
        const row = await lock(tx, workspaceId, conversationId);
        requireBranches(row);
        const place = placeOf(row);
        const known = await branchStore.listPlaced(tx, place);
        const chosen = known.find(({ id }) => id === branchId.toLowerCase());
        if (!chosen) throw notFound();
        const { afterMessageId, isCurrent } = chosen;
        if (isCurrent) return [];
        const afterSequence = await branchStore.findSequence(tx, workspaceId, afterMessageId);
        if (afterSequence === undefined)
          throw refused('The branch follows a message that is put aside itself: choose its branch first.');
        if (row.status !== 'idle')
          throw new AppError('TURN_IN_PROGRESS', { details: [{ conversation_id: conversationId }] });
        const fork = { afterMessageId, afterSequence };
        const replaced = await branchStore.listAfter(tx, place, fork);
        await requireReplaceable(tx, row, replaced);
        const current = known.find((other) => other.afterMessageId === afterMessageId && other.isCurrent);
        if (!current) throw new Error(`No branch is in force beside ${chosen.id}.`);
        await branchStore.putAside(
          tx,
          place,
          replaced.map(({ id }) => id),
          current.id,
        );
        await branchStore.putInForce(tx, place, chosen.id);
        await branchStore.choose(tx, place, chosen);
        await settle(tx, row, fork, replaced[0]);
        const events = [branchedEvent(chosen, null)];
        const first = await eventLog.append(tx, { conversationId, turnId: null, events });
        return numbered(events, first, null);
      });
      if (announced.length > 0) feed.publish(conversationId, announced, workspaceId);
    },
  };
}

/** Announces a branch that a turn begins, or one that was there already. */
export function branchedEvent(
  { id, afterMessageId }: Pick<BranchRow, 'id' | 'afterMessageId'>,
  turnId: string | null,
): NewEvent {
  return {
    type: 'conversation.branched',
    data: { branch_id: id, after_message_id: afterMessageId, turn_id: turnId },
  };
}

function placeOf({ workspaceId, id }: Pick<ConversationRow, 'workspaceId' | 'id'>) {
  return { workspaceId, conversationId: id };
}

async function lock(tx: Transaction, workspaceId: string, conversationId: string): Promise<ConversationRow> {
  const row = await conversationStore.lock(tx, workspaceId, conversationId);
  if (!row) throw notFound();
  return row;
}

function refused(message: string): AppError {
  return new AppError('BRANCH_REFUSED', { message });
}

function requireBranches({ channel, handoffRequestedAt }: ConversationRow): void {
  if (!rulesOf(channel).hasBranches) {
    throw new AppError('VALIDATION_FAILED', {
      message: `A conversation of the channel ${channel} has no branches.`,
    });
  }
  if (handoffRequestedAt)
    throw refused('The conversation waits for a person: the bot does not answer in it.');
}

/** A model that does not see what it has done might do it once more, and what a person of the team said stays said. */
async function requireReplaceable(
  tx: Transaction,
  { workspaceId, id }: ConversationRow,
  replaced: readonly ReplacedMessage[],
): Promise<void> {
  if (replaced.some(({ role }) => role === 'operator'))
    throw refused('A person of the team has written in this part of the conversation.');
  const effective = await toolCallStore.listEffective(tx, workspaceId, id);
  const done = replaced.flatMap(({ toolCalls }) => toolCalls).filter((call) => effective.has(call.id));
  if (done.length === 0) return;
  const names = [...new Set(done.map(({ name }) => name))].join(', ');
  throw refused(
    `Tools have already done something in this part of the conversation (${names}), and might do it again: write a further message instead.`,
  );
}

/** The summary and the title go with the messages that they were made of. */
async function settle(
  tx: Transaction,
  row: ConversationRow,
  { afterSequence }: Fork,
  before: { content: string } | undefined,
): Promise<void> {
  const begun = await truncationStore.findFirstUserMessage(tx, row.workspaceId, row.id);
  const isTitled = before && begun && begun.sequence > afterSequence && row.title === titleOf(before.content);
  await branchStore.settle(tx, placeOf(row), {
    ...(row.summaryThrough > afterSequence && { summary: null, summaryThrough: 0 }),
    ...(isTitled && { title: titleOf(begun.content) }),
  });
}
