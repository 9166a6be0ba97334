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
import { assigningStore } from '../assigning/assigning.store.ts';
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

/** A member who may see to conversations. */
interface Candidate {
  id: string;
  name: string;
}

interface ActOptions {
  /** A member who may become its assignee. */
  candidateId?: string | null | undefined;
  /** The candidate is whoever's turn it is, in workspaces that assign in turn. */
  mayAssignInTurn?: boolean;
  record?: (tx: Transaction) => Promise<void>;
}

const nobodyWaits = { handoffRequestedAt: null, handoffReason: null, isTakenOver: false };
const byNobody = { authorId: null, authorName: null };
const isOpen = { resolvedAt: null, snoozedUntil: null };
const inboxFields = ['assigneeId', 'resolvedAt', 'snoozedUntil', 'labels', 'unreadMentions'] as const;

/**
 * Where people take part in conversations, even while a turn runs. Each act locks the conversation's row for one short
 * transaction, as a step of a turn does, so its events fall between those of the steps. They belong to no turn and need no lease.
 */
export function createConversationDesk({ database, feed, requireMachines, clock }: DeskDependencies) {
  /**
   * Locks the conversation, decides, and writes and publishes what was decided. A member who may become its assignee is locked
   * first: whoever removes members locks them before their conversations, too.
   */
  async function act(
    workspaceId: string,
    conversationId: string,
    decide: (tx: Transaction, row: ConversationRow, candidate: Candidate | undefined) => Act | Promise<Act>,
    { candidateId, mayAssignInTurn = false, record }: ActOptions = {},
  ): Promise<void> {
    const now = clock.now();
    const announced = await database.within(workspaceId).transaction(async (tx) => {
      const candidate = candidateId
        ? await deskStore.lockAssignee(tx, workspaceId, candidateId)
        : mayAssignInTurn && (await isNobodys(tx, workspaceId, conversationId))
          ? await assigningStore.lockNext(tx, workspaceId)
          : undefined;
      const row = await conversationStore.lock(tx, workspaceId, conversationId);
      if (!row) throw notFound();
      const decided = await decide(tx, row, candidate);
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
      if (mayAssignInTurn && candidate && change.assigneeId === candidate.id)
        await assigningStore.noteAssigned(tx, workspaceId, candidate.id);
      await record?.(tx);
      return numbered(events, first, null);
    });
    if (announced.length > 0) feed.publish(conversationId, announced, workspaceId);
  }

  function note(kind: ConversationNote['kind'], text: string | null = null): NewNote {
    const { type, id, name } = currentActor();
    const author =
      type === 'member' ? { authorId: id, authorName: name } : { authorId: null, authorName: null };
    return { id: newId(), kind, text, mentions: null, ...author, createdAt: clock.now() };
  }

  return {
    /** Puts a conversation into the queue. A repeated request keeps the time of the first one and takes the new reason. */
    flag(workspaceId: string, conversationId: string, reason: string): Promise<void> {
      const decide = (_tx: Transaction, row: ConversationRow, candidate: Candidate | undefined): Act => {
        const isKnown = row.handoffRequestedAt !== null && row.handoffReason === reason;
        if (isKnown && inboxOf(row, clock.now()).state === 'open') return { change: {} };
        const byBot = { ...note('handed_off', reason), ...byNobody };
        const turn = inTurn(row, candidate);
        return {
          change: {
            handoffRequestedAt: row.handoffRequestedAt ?? clock.now(),
            handoffReason: reason,
            isTakenOver: false,
            // It must not wait where nobody looks.
            ...isOpen,
            ...turn.change,
          },
          notes: [byBot, ...(turn.notes ?? [])],
        };
      };
      return act(workspaceId, conversationId, decide, { mayAssignInTurn: true });
    },

    /** Whether a person took over: then the turn that runs must be stopped, or the bot would still answer. */
    async update(
      workspaceId: string,
      conversationId: string,
      body: ConversationUpdate,
    ): Promise<{ isTakenOver: boolean }> {
      const isTakenOver = Boolean(body.needs_human && body.needs_human.at === undefined);
      if (isTakenOver && body.state !== undefined && body.state !== 'open')
        throw invalid('state', 'must be open for a conversation that is taken over');
      const wanted = isTakenOver && body.assignee === undefined ? ownId() : body.assignee?.toLowerCase();
      const assigneeId = body.assignee === null ? null : wanted;
      // By a program.
      const mayAssignInTurn = isTakenOver && assigneeId === undefined;
      const decide = async (tx: Transaction, row: ConversationRow, candidate: Candidate | undefined) => {
        const { title, metadata } = body;
        const parts = [
          waiting(row, body.needs_human),
          putAway(row, body),
          mayAssignInTurn ? inTurn(row, candidate) : { change: {} },
          assigneeId === undefined ? await staying(tx, row, body) : assignment(row, candidate ?? assigneeId),
          labelling(row, body.labels),
        ];
        const change: ConversationChange = {
          ...(title !== undefined && { title }),
          ...(metadata !== undefined && { metadata }),
          ...Object.assign({}, ...parts.map((part) => part.change)),
        };
        await audit(tx, row, change);
        const notes = parts.flatMap((part) => part.notes ?? []);
        // Whoever takes over becomes the assignee, which needs no line of its own.
        const isOwn = isTakenOver && change.assigneeId === ownId();
        return { change, notes: isOwn ? notes.filter(({ kind }) => kind !== 'assigned') : notes };
      };
      await act(workspaceId, conversationId, decide, { candidateId: assigneeId, mayAssignInTurn });
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
        async (tx, row, candidate) => {
          requireReader(row, 'Messages cannot be sent');
          await requireMachines(tx, workspaceId, [row.botId], keyId);
          const isClaimed = row.handoffRequestedAt !== null && row.assigneeId === null && candidate;
          return { ...(isClaimed ? assignment(row, candidate) : { change: {} }), message };
        },
        { candidateId: ownId(), record: (tx) => record(tx, result) },
      );
      return result;
    },

    /** Leaves a note that only the team reads. Whom it mentions is told until they open the conversation. */
    async writeNote(
      workspaceId: string,
      conversationId: string,
      { text, mentions: given = [] }: NoteToWrite,
      record: RecordAnswer<{ id: string }>,
    ): Promise<{ id: string }> {
      const mentions = [...new Set(given.map((id) => id.toLowerCase()))];
      const written = { ...note('written', text), mentions: orNull(mentions) };
      const result = { id: written.id };
      await act(
        workspaceId,
        conversationId,
        async (tx, row) => {
          await requireMembers(tx, workspaceId, mentions);
          const others = mentions.filter((id) => id !== ownId());
          const unreadMentions = orNull([...new Set([...(row.unreadMentions ?? []), ...others])]);
          return { change: others.length > 0 ? { unreadMentions } : {}, notes: [written] };
        },
        { record: (tx) => record(tx, result) },
      );
      return result;
    },

    /** A member has opened a conversation in which they were mentioned. */
    async see(workspaceId: string, conversationId: string, memberId: string): Promise<void> {
      await act(workspaceId, conversationId, (_tx, { unreadMentions }) => {
        if (!unreadMentions?.includes(memberId)) return { change: {} };
        return { change: { unreadMentions: orNull(unreadMentions.filter((id) => id !== memberId)) } };
      });
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
    const waits = {
      handoffRequestedAt: row.handoffRequestedAt ?? clock.now(),
      handoffReason: reason,
      // A program only asks for a person.
      isTakenOver: row.handoffRequestedAt === null ? ownId() !== undefined : row.isTakenOver,
    };
    return { change: { ...waits, ...isOpen }, notes: [note('taken_over', reason || null)] };
  }

  /** An id alone is not that of a member who may see to it. */
  function assignment(row: ConversationRow, to: Candidate | string | null): Act {
    const assigneeId = typeof to === 'object' ? (to?.id ?? null) : to;
    if (assigneeId === row.assigneeId) return { change: {} };
    if (typeof to === 'string') throw invalid('assignee', 'must be a member with the role operator or owner');
    return { change: { assigneeId }, notes: [note('assigned', to?.name)] };
  }

  /** What begins to wait and is nobody's goes to whoever's turn it is. */
  function inTurn(row: ConversationRow, candidate: Candidate | undefined): Act {
    if (!candidate || row.handoffRequestedAt !== null || row.assigneeId !== null) return { change: {} };
    const { change, notes = [] } = assignment(row, candidate);
    return { change, notes: notes.map((one) => ({ ...one, ...byNobody })) };
  }

  /** What is opened again is nobody's if its member has left since it was resolved. */
  async function staying(tx: Transaction, row: ConversationRow, { state }: ConversationUpdate): Promise<Act> {
    if (state !== 'open' || row.resolvedAt === null || row.assigneeId === null) return { change: {} };
    const isMember = await deskStore.isAssignee(tx, row.workspaceId, row.assigneeId);
    return { change: isMember ? {} : { assigneeId: null } };
  }

  /** Resolved, snoozed, or open again. */
  function putAway(row: ConversationRow, { state, snoozed_until: until }: ConversationUpdate): Act {
    const now = clock.now();
    const before = inboxOf(row, now);
    const snoozedUntil = until ? new Date(until) : null;
    const isSame = (before.snoozed_until ?? null) === (snoozedUntil && isoOf(snoozedUntil));
    if (state === 'resolved' && before.state !== 'resolved')
      return {
        change: { resolvedAt: now, snoozedUntil: null, ...(row.handoffRequestedAt && nobodyWaits) },
        notes: [note('resolved')],
      };
    if (state === 'snoozed' && !isSame) {
      // A second that does not exist has no time.
      if (!snoozedUntil || !(snoozedUntil > now)) throw invalid('snoozed_until', 'must be in the future');
      return {
        change: { resolvedAt: null, snoozedUntil },
        notes: [note('snoozed', snoozedUntil.toISOString())],
      };
    }
    if (state === 'snoozed' && !snoozedUntil) throw invalid('snoozed_until', 'must be in the future');
    if (state !== 'snoozed' && snoozedUntil && !isSame)
      throw invalid('snoozed_until', 'is only of a conversation whose state is snoozed');
    if (state !== 'open' || (row.resolvedAt === null && row.snoozedUntil === null)) return { change: {} };
    return { change: isOpen, ...(before.state !== 'open' && { notes: [note('reopened')] }) };
  }
}

/** Before it is locked, so that repeated requests of a bot do not wait for each other. */
async function isNobodys(tx: Transaction, workspaceId: string, conversationId: string): Promise<boolean> {
  const row = await conversationStore.find(tx, workspaceId, conversationId);
  return row !== undefined && row.handoffRequestedAt === null && row.assigneeId === null;
}

async function requireMembers(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  const members = await deskStore.membersAmong(tx, workspaceId, ids);
  const index = ids.findIndex((id) => !members.has(id));
  if (index !== -1) throw invalid(`mentions.${index}`, 'must be a member of the workspace');
}

function orNull<Item>(items: Item[]): Item[] | null {
  return items.length > 0 ? items : null;
}

function isoOf(time: Date): string | undefined {
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The member who is asking; not a program. */
function ownId(): string | undefined {
  const { type, id } = currentActor();
  return type === 'member' && id !== null ? id : undefined;
}

function labelling(row: ConversationRow, labels: readonly string[] | undefined): Act {
  const wanted = labels && [...new Set(labels.map((label) => label.trim()))];
  if (!wanted || JSON.stringify(wanted) === JSON.stringify(row.labels ?? [])) return { change: {} };
  return { change: { labels: wanted.length > 0 ? wanted : null } };
}

/** What readers are told of an act. */
function eventsOf(row: ConversationRow, { change, notes = [], message }: Act, now: Date): NewEvent[] {
  const after = { ...row, ...change };
  const isSorted =
    notes.length > 0 ||
    inboxFields.some((field) => change[field] !== undefined && change[field] !== row[field]);
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

function needsHuman(
  row: Pick<ConversationRow, 'handoffRequestedAt' | 'handoffReason' | 'isTakenOver'>,
): NewEvent {
  const data = { needs_human: needsHumanOf(row), taken_over: row.isTakenOver };
  return { type: 'conversation.needs_human', data };
}
