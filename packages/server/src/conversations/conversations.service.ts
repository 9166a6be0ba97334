import type { Channel } from '@svc/contract/channels';
import type { ConversationDetail, ConversationMessage, ConversationQuery } from '@svc/contract/conversations';
import type { Queryable, Transaction } from '../database/database.ts';
import { notFound } from '../lib/app-error.ts';
import { finalOutputOf } from '../runs/runs.service.ts';
import type { Services } from '../services.ts';
import { branchStore } from './branches/branches.store.ts';
import {
  type ConversationFilter,
  type ConversationRow,
  conversationStore,
  type MessageRow,
  type Summary,
} from './conversations.store.ts';
import type { CodeSession } from './conversations.tables.ts';
import { toWire, withExecuted } from './conversations.wire.ts';
import { detailsStore } from './details/end-user-details.store.ts';
import { toWireMessage } from './message.ts';
import { noteStore, toWireNote } from './notes.store.ts';
import { lateOutcomeStore } from './tool-calls/late-outcome.store.ts';
import { type ToolCallRow, toolCallStore } from './tool-calls/tool-calls.store.ts';
import { removeAfter } from './truncation/remove-after.ts';
import { type TurnRef, turnContentStore } from './turn-content/turn-content.store.ts';
import { createUndertakings, type UndertakingDependencies } from './undertakings.ts';

export type { ConversationRow, MessageRow } from './conversations.store.ts';
export type { CodeSession, ToolCallStatus } from './conversations.tables.ts';
export type { NewMessage, StoredToolCall } from './message.ts';
export { textMessage, toWireMessage } from './message.ts';
export { type OwnConversation, ownConversation, ownConversations, ownMessage } from './own-conversations.ts';
export { titleOf } from './title.ts';
export type { TraceEntry } from './tracing/trace-entry.ts';
export type { ToolOutcome } from './turn-content/turn-content.store.ts';
/** What a new turn needs to know of its conversation. */
export type KnownConversation = Pick<
  ConversationRow,
  'id' | 'workspaceId' | 'lastSequence' | 'operatorSequence' | 'summary' | 'summaryThrough'
> &
  Partial<Pick<ConversationRow, 'codeSession'>>;

export interface History {
  summary: string | null;
  /** `continues` marks a user's message that does not begin a turn. */
  messages: (MessageRow & { continues: boolean })[];
}

/** A conversation that a caller requests, only if it has this user, channel and bot. */
export interface WantedConversation {
  conversation_id: string;
  external_user_id?: string;
  channel?: Channel;
  bot_id?: string;
}

export type ConversationService = ReturnType<typeof createConversationService>;

const defaultLimit = 100;

export function createConversationService({
  database,
  bots,
  runs,
  voiceCalls,
}: Pick<Services, 'bots' | 'database'> &
  UndertakingDependencies & { runs: Pick<Services['runs'], 'truncate'> }) {
  const undertakings = createUndertakings({ runs, voiceCalls });

  async function historyUpTo(row: KnownConversation): Promise<History> {
    const { id, workspaceId, summary, summaryThrough } = row;
    const messages = await conversationStore.listMessages(
      database.within(workspaceId),
      workspaceId,
      id,
      summaryThrough,
    );
    return { summary, messages: inTurns(messages) };
  }

  /** With a user, only if it is that user's; to others it does not exist. */
  async function getRow(workspaceId: string, conversationId: string, externalUserId?: string) {
    const row = await conversationStore.find(database.within(workspaceId), workspaceId, conversationId);
    if (!row || (externalUserId !== undefined && row.externalUserId !== externalUserId)) throw notFound();
    return row;
  }

  /** PostgreSQL uses no index on metadata behind a policy, so ids are found without one and their rows read within the workspace. */
  async function findListed(workspaceId: string, filter: ConversationFilter): Promise<ConversationRow[]> {
    const within = database.within(workspaceId);
    if (Object.keys(filter.metadata).length === 0) return conversationStore.list(within, workspaceId, filter);
    const ids = await conversationStore.listIds(database.acrossWorkspaces, workspaceId, filter);
    return ids.length === 0 ? [] : conversationStore.listOf(within, workspaceId, ids);
  }

  return {
    getRow,

    async getWanted(workspaceId: string, wanted: WantedConversation): Promise<ConversationRow> {
      const { conversation_id: id, external_user_id: userId, channel, bot_id: botId } = wanted;
      const row = await getRow(workspaceId, id, userId);
      if (row.channel !== (channel ?? row.channel) || row.botId !== (botId ?? row.botId)) throw notFound();
      return row;
    },

    async list(workspaceId: string, query: ConversationQuery, metadata: Record<string, string>) {
      if (query.bot_id) await bots.getRow(workspaceId, query.bot_id);
      const limit = query.limit ?? defaultLimit;
      const rows = await findListed(workspaceId, { ...query, metadata, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const undertakingOf = await undertakings.ofRows(workspaceId, page);
      return {
        conversations: page.map((row) => toWire(row, undertakingOf(row))),
        next: rows.length > limit ? page.at(-1)?.id : undefined,
      };
    },

    /** With a branch: its messages as they are with it in force. */
    async get(
      workspaceId: string,
      conversationId: string,
      {
        externalUserId,
        branchId,
      }: { externalUserId?: string | undefined; branchId?: string | undefined } = {},
    ): Promise<ConversationDetail> {
      const within = database.within(workspaceId);
      const row = await getRow(workspaceId, conversationId, externalUserId);
      const messages = await (branchId === undefined
        ? conversationStore.listMessages(within, workspaceId, conversationId)
        : branchStore.listLine(within, { workspaceId, conversationId }, branchId));
      if (branchId !== undefined && messages.length === 0) throw notFound();
      const executed = await toolCallStore.listExecuted(within, workspaceId, conversationId);
      const notes = await noteStore.list(within, workspaceId, conversationId);
      const { externalUserId: user } = row;
      const details = user === null ? undefined : await detailsStore.find(within, workspaceId, user);
      const { run, call } = await undertakings.detailOf(workspaceId, row);
      const { call: _listed, ...conversation } = toWire(row, { run, call });
      return {
        ...conversation,
        user_name: details?.name ?? null,
        ...(call && { call }),
        messages: messages.map((message) => toWireMessage(withExecuted(message, executed))),
        notes: notes.map(toWireNote),
        ...(run && { final_output: finalOutputOf(run) }),
      };
    },

    /** The messages of several conversations, by conversation; those without messages are left out. */
    async listTranscripts(
      workspaceId: string,
      conversationIds: readonly string[],
    ): Promise<Map<string, ConversationMessage[]>> {
      if (conversationIds.length === 0) return new Map();
      const rows = await conversationStore.listMessagesOf(
        database.within(workspaceId),
        workspaceId,
        conversationIds,
      );
      const byConversation = [...Map.groupBy(rows, (row) => row.conversationId)];
      return new Map(byConversation.map(([id, messages]) => [id, messages.map(toWireMessage)]));
    },

    /** The conversation in which a user last wrote to a bot. */
    findLatest(workspaceId: string, botId: string, externalUserId: string, channel: Channel) {
      return conversationStore.findLatest(
        database.within(workspaceId),
        workspaceId,
        botId,
        externalUserId,
        channel,
      );
    },

    /** The newest conversation of a bot in a channel. */
    findNewest: conversationStore.findNewest,

    /** A conversation that begins without a turn. */
    begin: conversationStore.insert,

    /** Calls of a turn without an outcome, in the order in which the model made them. */
    listUnfinishedCalls(workspaceId: string, turnId: string): Promise<ToolCallRow[]> {
      return toolCallStore.listUnfinished(database.within(workspaceId), workspaceId, turnId);
    },

    /** Every call of a turn, oldest first. */
    listCalls(workspaceId: string, turnId: string): Promise<ToolCallRow[]> {
      return toolCallStore.list(database.within(workspaceId), workspaceId, turnId);
    },

    /** What a model is sent of a conversation: its summary, and the messages since. */
    async history(workspaceId: string, conversationId: string): Promise<History> {
      return historyUpTo(await getRow(workspaceId, conversationId));
    },

    /** The history as it was when the row was read. */
    async historyThen(row: KnownConversation): Promise<History> {
      const { summary, messages } = await historyUpTo(row);
      return { summary, messages: messages.filter(({ sequence }) => sequence <= row.lastSequence) };
    },

    /** The history up to a message. A summary of more than that is not used. */
    async historyUntil(row: KnownConversation, sequence: number): Promise<History> {
      const isCovered = row.summaryThrough <= sequence;
      const { summary, messages } = await historyUpTo(
        isCovered ? row : { ...row, summary: null, summaryThrough: 0 },
      );
      return { summary, messages: messages.filter((message) => message.sequence <= sequence) };
    },

    /** Messages of operators after an event. */
    listOperatorMessages(workspaceId: string, conversationId: string, after: number): Promise<MessageRow[]> {
      return conversationStore.listOperatorMessages(
        database.within(workspaceId),
        workspaceId,
        conversationId,
        after,
      );
    },

    /** Calls that ended as unknown, and what became known of them since. */
    lateOutcomes: lateOutcomeStore,

    /** What messages say now, by their ids. */
    async listContents(workspaceId: string, conversationId: string, ids: string[]) {
      const query = database.within(workspaceId);
      const rows = await conversationStore.listContents(query, workspaceId, conversationId, ids);
      return new Map(rows.map(({ id, ...said }) => [id, said]));
    },

    /** Stores a summary of everything up to a message; false when that message is gone. */
    async saveSummary(tx: Transaction, workspaceId: string, conversationId: string, summary: Summary) {
      // Before what it covers is looked for, which may be put aside or removed meanwhile.
      const row = await conversationStore.lock(tx, workspaceId, conversationId);
      return row !== undefined && conversationStore.saveSummary(tx, workspaceId, conversationId, summary);
    },

    async replaceMetadata(
      tx: Transaction,
      workspaceId: string,
      conversationId: string,
      metadata: Record<string, string>,
    ): Promise<void> {
      await conversationStore.update(tx, workspaceId, conversationId, { metadata });
    },

    async rememberCodeSession(
      tx: Queryable,
      workspaceId: string,
      conversationId: string,
      codeSession: CodeSession,
    ): Promise<void> {
      await conversationStore.update(tx, workspaceId, conversationId, { codeSession });
    },

    countToolCalls(workspaceId: string, conversationId: string): Promise<number> {
      return toolCallStore.count(database.within(workspaceId), workspaceId, conversationId);
    },

    /** Locks the row until the transaction ends, so that no turn begins in the meantime. */
    async lock(tx: Transaction, workspaceId: string, conversationId: string): Promise<ConversationRow> {
      const row = await conversationStore.lock(tx, workspaceId, conversationId);
      if (!row) throw notFound();
      return row;
    },

    /** Throws NOT_FOUND unless the message is part of the conversation. */
    async requireMessage(workspaceId: string, conversationId: string, messageId: string): Promise<void> {
      const within = database.within(workspaceId);
      const position = await conversationStore.findPosition(within, workspaceId, conversationId, messageId);
      if (!position) throw notFound();
    },

    /** Calls whose results come after a message, the newest first. */
    async listCallsAfter(workspaceId: string, conversationId: string, messageId: string) {
      const within = database.within(workspaceId);
      const position = await conversationStore.findPosition(within, workspaceId, conversationId, messageId);
      if (!position) throw notFound();
      return toolCallStore.listAfter(within, workspaceId, conversationId, position.sequence);
    },

    /** Removes everything after a message, and what is based on it. */
    removeAfter(tx: Transaction, workspaceId: string, conversationId: string, messageId: string) {
      return removeAfter(tx, { runs, voiceCalls }, { workspaceId, conversationId, messageId });
    },

    /** The results of a turn's calls, in the order in which they were made. */
    listToolOutcomes: turnContentStore.listToolOutcomes,

    /** The message that a turn answers; undefined when it has none. */
    findLastUserMessage(workspaceId: string, turn: TurnRef): Promise<string | undefined> {
      return turnContentStore.findLastUserMessage(database.within(workspaceId), workspaceId, turn);
    },

    /** The messages of one turn, in order. */
    listOfTurn(workspaceId: string, turn: TurnRef): Promise<MessageRow[]> {
      return turnContentStore.listMessages(database.within(workspaceId), workspaceId, turn);
    },
  };
}

/** A turn begins with its first user message, which may follow a greeting. */
function inTurns(messages: readonly MessageRow[]): History['messages'] {
  let begun: string | null | undefined;
  return messages.map((message) => {
    const isUser = message.role === 'user';
    const continues = isUser && message.turnId === begun;
    if (isUser) begun = message.turnId;
    return { ...message, continues };
  });
}
