import { rulesOf } from '@svc/contract/channels';
import type {
  ConversationNote,
  ConversationUpdate,
  NeedsHuman,
  NewNote as NoteToWrite,
  OperatorMessage,
} from '@svc/contract/conversations';
import { recordChange } from '../../audit/audit.service.ts';
import type { Transaction } from '../../database/database.ts';
import { type NewEvent, numbered } from '../../events/event.ts';
import { eventLog } from '../../events/event-log.ts';
import type { RecordAnswer } from '../../idempotency/idempotency.service.ts';
import type { Principal } from '../../keys/keys.service.ts';
import { currentActor } from '../../lib/actor.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import { type ConversationRow, conversationStore } from '../conversations.store.ts';
import { inboxOf } from '../inbox.ts';
import { textMessage, toWireMessage } from '../message.ts';
import { needsHumanOf } from '../needs-human.ts';
import { type NewNote, noteStore, toWireNote } from '../notes.store.ts';
import { type ConversationChange, deskStore } from './desk.store.ts';

export type DeskDependencies = Pick<Services, 'clock' | 'database' | 'feed' | 'requireMachines'>;

/** Interrupts the turn that runs in a conversation, if there is one. */
export type StopTurn = (
  workspaceId: string,
  conversationId: string,
  by: string,
) => Promise<{ stopped: boolean }>;

export type ConversationDesk = ReturnType<typeof createConversationDesk>;

/** One act of a person on a conversation. What readers are told follows from it. */
interface Act {
  change: ConversationChange;
  notes?: NewNote[];
  message?: ReturnType<typeof textMessage>;
}

const nobodyWaits = { handoffRequestedAt: null, handoffReason: null };
const inboxFields = ['assigneeId', 'resolvedAt', 'snoozedUntil', 'labels'] as const;

/**
 * Where people take part in conversations, even while a turn runs. Each act locks the conversation's row for one short
 * transaction, as a step of a turn does, so its events fall between those of the steps. They belong to no turn and need no lease.
 */
export function createConversationDesk({ database, feed, requireMachines, clock }: DeskDependencies) {
  /** Locks the conversation, decides, and writes and publishes what was decided. */
  async function act(
    workspaceId: string,
    conversationId: string,
    decide: (tx: Transaction, row: ConversationRow) => Act | Promise<Act>,
    record?: (tx: Transaction) => Promise<void>,
  ): Promise<void> {
    const now = clock.now();
    const announced = await database.within(workspaceId).transaction(async (tx) => {
      const row = await conversationStore.lock(tx, workspaceId, conversationId);
      if (!row) throw notFound();
      const decided = await decide(tx, row);
      const { change, notes = [], message } = decided;
      const events = eventsOf(row, decided, now);
      const first =
        events.length > 0
          ? await eventLog.append(tx, { conversationId, turnId: null, events, messages: message ? 1 : 0 })
          : 0;
      const changed = { ...change, ...(message && { operatorSequence: first }) };
      if (message)
        await deskStore.insertMessage(tx, workspaceId, { conversationId, sequence: first }, message);
      if (notes.length > 0) await noteStore.insert(tx, workspaceId, conversationId, notes);
      if (Object.keys(changed).length > 0) await deskStore.change(tx, workspaceId, conversationId, changed);
      await record?.(tx);
      return numbered(events, first, null);
    });
    if (announced.length > 0) feed.publish(conversationId, announced, workspaceId);
  }

  function note(kind: ConversationNote['kind'], text: string | null = null): NewNote {
    const { type, id, name } = currentActor();
    const author =
      type === 'member' ? { authorId: id, authorName: name } : { authorId: null, authorName: null };
    return { id: newId(), kind, text, ...author, createdAt: clock.now() };
  }

  return {
    /** Puts a conversation into the queue. A repeated request keeps the time of the first one and takes the new reason. */
    flag(workspaceId: string, conversationId: string, reason: string): Promise<void> {
      return act(workspaceId, conversationId, (_tx, row) => {
        if (row.handoffRequestedAt !== null && row.handoffReason === reason) return { change: {} };
        const byBot = { ...note('handed_off', reason), authorId: null, authorName: null };
        return {
          change: { handoffRequestedAt: row.handoffRequestedAt ?? clock.now(), handoffReason: reason },
          notes: [byBot],
        };
      });
    },

    /** Whether a person took over: then the turn that runs must be stopped, or the bot would still answer. */
    async update(
      workspaceId: string,
      conversationId: string,
      body: ConversationUpdate,
    ): Promise<{ isTakenOver: boolean }> {
      const isTakenOver = Boolean(body.needs_human && body.needs_human.at === undefined);
      await act(workspaceId, conversationId, async (tx, row) => {
        const { title, metadata } = body;
        const parts = [
          waiting(row, body.needs_human),
          await assignment(tx, row, isTakenOver && body.assignee === undefined ? ownId() : body.assignee),
          putAway(row, body),
          labelling(row, body.labels),
        ];
        const change: ConversationChange = {
          ...(title !== undefined && { title }),
          ...(metadata !== undefined && { metadata }),
          ...Object.assign({}, ...parts.map((part) => part.change)),
        };
        await audit(tx, row, change);
        return { change, notes: parts.flatMap(({ notes = [] }) => notes) };
      });
      return { isTakenOver };
    },

    async replaceMetadata(workspaceId: string, conversationId: string, metadata: Record<string, string>) {
      await act(workspaceId, conversationId, async (tx, row) => {
        await audit(tx, row, { metadata });
        return { change: { metadata } };
      });
    },

    /**
     * Writes an operator's message to the user. A conversation that waits for a person stays with people until it is cleared, and
     * belongs to the first member who writes. The bot reads the message too, so its author must be allowed to use the bot's machines.
     */
    async write(
      { workspaceId, keyId }: Pick<Principal, 'workspaceId' | 'keyId'>,
      conversationId: string,
      { content, author_name: name }: OperatorMessage,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const text = textMessage(newId(), 'operator', content, clock.now());
      const message = { ...text, authorName: name ?? null };
      const result = { id: message.id };
      await act(
        workspaceId,
        conversationId,
        async (tx, row) => {
          requireReader(row, 'Messages cannot be sent');
          await requireMachines(tx, workspaceId, [row.botId], keyId);
          const isClaimed = row.handoffRequestedAt !== null && row.assigneeId === null;
          return { ...(await assignment(tx, row, isClaimed ? ownId() : undefined)), message };
        },
        (tx) => record(tx, result),
      );
      return result;
    },

    /** Leaves a note that only the team reads. */
    async writeNote(
      workspaceId: string,
      conversationId: string,
      { text }: NoteToWrite,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const written = note('written', text);
      const result = { id: written.id };
      await act(
        workspaceId,
        conversationId,
        () => ({ change: {}, notes: [written] }),
        (tx) => record(tx, result),
      );
      return result;
    },
  };

  /** Taken over, or returned to the bot. Callers may send back what they read. */
  function waiting(row: ConversationRow, wanted: ConversationUpdate['needs_human']): Act {
    if (wanted === undefined) return { change: {} };
    if (wanted === null) {
      if (row.handoffRequestedAt === null) return { change: {} };
      return { change: nobodyWaits, notes: [note('handed_back')] };
    }
    const { at, reason } = wanted;
    if (at !== undefined) {
      requireSame({ at, reason }, row);
      return { change: {} };
    }
    requireReader(row, 'A person cannot take over');
    const waits = { handoffRequestedAt: row.handoffRequestedAt ?? clock.now(), handoffReason: reason };
    return { change: waits, notes: [note('taken_over', reason || null)] };
  }

  async function assignment(
    tx: Transaction,
    row: ConversationRow,
    assigneeId: string | null | undefined,
  ): Promise<Act> {
    if (assigneeId === undefined || assigneeId === row.assigneeId) return { change: {} };
    const name = assigneeId && (await deskStore.findAssignee(tx, row.workspaceId, assigneeId));
    if (assigneeId !== null && !name)
      throw invalid('assignee', 'must be a member with the role operator or owner');
    return { change: { assigneeId }, notes: [note('assigned', name || null)] };
  }

  /** Resolved, snoozed, or open again. */
  function putAway(row: ConversationRow, { state, snoozed_until: until }: ConversationUpdate): Act {
    const now = clock.now();
    const before = inboxOf(row, now);
    if (until && state !== 'snoozed' && until !== before.snoozed_until)
      throw invalid('snoozed_until', 'is only of a conversation whose state is snoozed');
    if (state === 'resolved' && before.state !== 'resolved')
      return {
        change: { resolvedAt: now, snoozedUntil: null, ...(row.handoffRequestedAt && nobodyWaits) },
        notes: [note('resolved')],
      };
    if (state === 'snoozed' && until !== before.snoozed_until) {
      const snoozedUntil = new Date(until ?? 0);
      if (snoozedUntil <= now) throw invalid('snoozed_until', 'must be in the future');
      return {
        change: { resolvedAt: null, snoozedUntil },
        notes: [note('snoozed', snoozedUntil.toISOString())],
      };
    }
    if (state === 'open' && before.state !== 'open')
      return { change: { resolvedAt: null, snoozedUntil: null }, notes: [note('reopened')] };
    return { change: {} };
  }
}

/** The member who is asking; not a program. */
function ownId(): string | undefined {
  const { type, id } = currentActor();
  return type === 'member' && id !== null ? id : undefined;
}

function labelling(row: ConversationRow, labels: readonly string[] | undefined): Act {
  const wanted = labels && [...new Set(labels.map((label) => label.trim()))];
  if (!wanted || wanted.join('\n') === (row.labels ?? []).join('\n')) return { change: {} };
  return { change: { labels: wanted.length > 0 ? wanted : null } };
}

/** What readers are told of an act. */
function eventsOf(row: ConversationRow, { change, notes = [], message }: Act, now: Date): NewEvent[] {
  const after = { ...row, ...change };
  const isSorted = notes.length > 0 || inboxFields.some((field) => change[field] !== undefined);
  return [
    ...(message ? [{ type: 'message.operator' as const, data: { message: toWireMessage(message) } }] : []),
    ...(change.handoffRequestedAt !== undefined ? [needsHuman(after)] : []),
    ...(isSorted
      ? [
          {
            type: 'conversation.updated' as const,
            data: { ...inboxOf(after, now), notes: notes.map(toWireNote) },
          },
        ]
      : []),
  ];
}

const auditedNames: Partial<Record<keyof ConversationChange, string>> = {
  title: 'title',
  metadata: 'metadata',
  handoffRequestedAt: 'needs_human',
  assigneeId: 'assignee',
  resolvedAt: 'state',
  snoozedUntil: 'state',
  labels: 'labels',
};

/** The values belong to the conversation, and are not recorded elsewhere. */
async function audit(tx: Transaction, row: ConversationRow, change: ConversationChange): Promise<void> {
  const changed = Object.keys(change) as (keyof ConversationChange)[];
  const named = changed
    .filter((field) => field === 'metadata' || change[field] !== row[field])
    .flatMap((field) => auditedNames[field] ?? []);
  const changes = [...new Set(named)].map((field) => ({ field, before: null, after: 'changed' }));
  if (changes.length === 0) return;
  await recordChange(tx, row.workspaceId, {
    action: 'conversation.updated',
    object: { id: row.id },
    changes,
  });
}

/** Without a user in the conversation, no one would read the message. */
function requireReader({ channel }: ConversationRow, what: string): void {
  if (rulesOf(channel).continuedByUser) return;
  throw new AppError('VALIDATION_FAILED', {
    message: `${what} in a conversation of the channel ${channel}.`,
  });
}

function requireSame(wanted: NeedsHuman, row: ConversationRow): void {
  const { at, reason } = needsHumanOf(row) ?? {};
  if (wanted.at !== at || wanted.reason !== reason)
    throw invalid('needs_human', 'must be null, unchanged, or without "at" to take over');
}

function needsHuman(row: Pick<ConversationRow, 'handoffRequestedAt' | 'handoffReason'>): NewEvent {
  return { type: 'conversation.needs_human', data: { needs_human: needsHumanOf(row) } };
}
