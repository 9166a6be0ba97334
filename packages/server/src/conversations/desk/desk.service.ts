import { rulesOf } from '@svc/contract/channels';
import type { ConversationUpdate, NeedsHuman, OperatorMessage } from '@svc/contract/conversations';
import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import { type NewEvent, numbered } from '../../events/event.ts';
import { eventLog } from '../../events/event-log.ts';
import type { RecordAnswer } from '../../idempotency/idempotency.service.ts';
import type { Principal } from '../../keys/keys.service.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import { type ConversationRow, conversationStore } from '../conversations.store.ts';
import { textMessage, toWireMessage } from '../message.ts';
import { needsHumanOf } from '../needs-human.ts';
import { type ConversationChange, deskStore } from './desk.store.ts';

export type DeskDependencies = Pick<Services, 'clock' | 'database' | 'feed' | 'requireMachines'>;

export type ConversationDesk = ReturnType<typeof createConversationDesk>;

/** One change of a conversation and the events that announce it. */
interface Act {
  change: ConversationChange;
  events: NewEvent[];
  /** The fields that a caller changed. Their values belong to the conversation, and are not recorded elsewhere. */
  audited?: string[];
}

const nobodyWaits = { handoffRequestedAt: null, handoffReason: null };

/**
 * Where people take part in conversations, even while a turn runs. Each act locks the conversation's row for one short
 * transaction, as a step of a turn does, so its events fall between those of the steps. They belong to no turn and need no lease.
 */
export function createConversationDesk({ database, feed, requireMachines, clock }: DeskDependencies) {
  /** Locks the conversation, does the work and publishes its events. */
  async function act<Result>(
    workspaceId: string,
    conversationId: string,
    work: (
      tx: Transaction,
      row: ConversationRow,
    ) => Promise<{ events: NewEvent[]; first: number; result: Result }>,
  ): Promise<Result> {
    const { events, first, result } = await database.within(workspaceId).transaction(async (tx) => {
      const row = await conversationStore.lock(tx, workspaceId, conversationId);
      if (!row) throw notFound();
      return work(tx, row);
    });
    if (events.length > 0) feed.publish(conversationId, numbered(events, first, null), workspaceId);
    return result;
  }

  function change(
    workspaceId: string,
    conversationId: string,
    decide: (row: ConversationRow) => Act,
  ): Promise<void> {
    return act(workspaceId, conversationId, async (tx, row) => {
      const { change: changed, events, audited } = decide(row);
      const first =
        events.length > 0 ? await eventLog.append(tx, { conversationId, turnId: null, events }) : 0;
      if (Object.keys(changed).length > 0) await deskStore.change(tx, workspaceId, conversationId, changed);
      if (audited && audited.length > 0) {
        const changes = audited.map((field) => ({ field, before: null, after: 'changed' }));
        const object = { id: conversationId };
        await recordChange(tx, workspaceId, { action: 'conversation.updated', object, changes });
      }
      return { events, first, result: undefined };
    });
  }

  return {
    /** Puts a conversation into the queue. A repeated request keeps the time of the first one and takes the new reason. */
    flag(workspaceId: string, conversationId: string, reason: string): Promise<void> {
      return change(workspaceId, conversationId, (row) => {
        const flagged = { handoffRequestedAt: row.handoffRequestedAt ?? clock.now(), handoffReason: reason };
        const isKnown = row.handoffRequestedAt !== null && row.handoffReason === reason;
        return isKnown ? { change: {}, events: [] } : { change: flagged, events: [needsHuman(flagged)] };
      });
    },

    update(workspaceId: string, conversationId: string, body: ConversationUpdate): Promise<void> {
      const { title, metadata, needs_human: wanted } = body;
      return change(workspaceId, conversationId, (row) => {
        if (wanted) requireSame(wanted, row);
        const isCleared = wanted === null && row.handoffRequestedAt !== null;
        return {
          change: {
            ...(title !== undefined && { title }),
            ...(metadata !== undefined && { metadata }),
            ...(isCleared && nobodyWaits),
          },
          events: isCleared ? [needsHuman(nobodyWaits)] : [],
          audited: [
            ...(title !== undefined && title !== row.title ? ['title'] : []),
            ...(metadata !== undefined ? ['metadata'] : []),
            ...(isCleared ? ['needs_human'] : []),
          ],
        };
      });
    },

    replaceMetadata(workspaceId: string, conversationId: string, metadata: Record<string, string>) {
      return change(workspaceId, conversationId, () => ({
        change: { metadata },
        events: [],
        audited: ['metadata'],
      }));
    },

    /**
     * Writes an operator's message to the user. A conversation that waits for a person stays with people until it is cleared.
     * The bot reads the message too, so its author must be allowed to use the bot's machines.
     */
    write(
      { workspaceId, keyId }: Pick<Principal, 'workspaceId' | 'keyId'>,
      conversationId: string,
      { content, author_name: name }: OperatorMessage,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const text = textMessage(newId(), 'operator', content, clock.now());
      const message = { ...text, authorName: name ?? null };
      return act(workspaceId, conversationId, async (tx, row) => {
        requireReader(row);
        await requireMachines(tx, workspaceId, [row.botId], keyId);
        const events: NewEvent[] = [{ type: 'message.operator', data: { message: toWireMessage(message) } }];
        const first = await eventLog.append(tx, { conversationId, turnId: null, events, messages: 1 });
        await deskStore.insertMessage(tx, workspaceId, { conversationId, sequence: first }, message);
        await deskStore.change(tx, workspaceId, conversationId, { operatorSequence: first });
        const result = { id: message.id };
        await record(tx, result);
        return { events, first, result };
      });
    },
  };
}

/** Without a user in the conversation, no one would read the message. */
function requireReader({ channel }: ConversationRow): void {
  if (rulesOf(channel).continuedByUser) return;
  throw new AppError('VALIDATION_FAILED', {
    message: `Messages cannot be sent in a conversation of the channel ${channel}.`,
  });
}

/** Callers may send a conversation back as they read it, but only its bot can put it into the queue. */
function requireSame(wanted: NeedsHuman, row: ConversationRow): void {
  const { at, reason } = needsHumanOf(row) ?? {};
  if (wanted.at !== at || wanted.reason !== reason)
    throw invalid('needs_human', 'must be null or unchanged: only the bot can request a person');
}

function needsHuman(row: Pick<ConversationRow, 'handoffRequestedAt' | 'handoffReason'>): NewEvent {
  return { type: 'conversation.needs_human', data: { needs_human: needsHumanOf(row) } };
}
