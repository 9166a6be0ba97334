import { rulesOf } from '@svc/contract/channels';
import type {
  ConsoleConversationQuery,
  ConversationExportQuery,
  ListedConversation,
} from '@svc/contract/console-conversations';
import { firstIdAt } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import type { ConversationRow } from '../conversations.store.ts';
import { toWire } from '../conversations.wire.ts';
import { type SearchFilter, searchStore } from './conversation-search.store.ts';
import { exportConversations } from './export.ts';
import { createLane } from './lane.ts';
import { cursorOf } from './search-order.store.ts';
import { type WantedText, wantedText } from './wanted-text.ts';

export type ConversationSearch = ReturnType<typeof createConversationSearch>;

const defaultLimit = 50;
/** A search that finds little ends after this time and continues with the next page. */
const budgetMilliseconds = 1_500;
const firstBatchSize = 500;
const maxBatchSize = 20_000;
/** However few conversations have them: one statement must not keep a connection for long. */
const maxMessagesPerBatch = 20_000;
/** So many batches are read at a time, however many people search, because a process has few connections. */
const maxConcurrentBatches = 2;
/** Batches that take less than this double in size. */
const quickMilliseconds = 100;

/**
 * Finds conversations by what they contain, those with the latest messages first. Texts have no index: it would cost every message that is written,
 * while searches are rare. They read batches of conversations instead, for a limited time per page.
 */
export function createConversationSearch({
  database,
  bots,
  runs,
  voiceCalls,
}: Pick<Services, 'bots' | 'database' | 'runs' | 'voiceCalls'>) {
  const lane = createLane(maxConcurrentBatches);

  async function show(
    workspaceId: string,
    rows: ConversationRow[],
    wanted?: WantedText,
  ): Promise<ListedConversation[]> {
    const ids = rows.map(({ id }) => id);
    const withRuns = rows.filter(({ channel }) => rulesOf(channel).hasRuns).map(({ id }) => id);
    const withCalls = rows.filter(({ channel }) => rulesOf(channel).hasCalls).map(({ id }) => id);
    const [latest, calls, described] = await Promise.all([
      runs.latestOf(workspaceId, withRuns),
      voiceCalls.ofConversations(workspaceId, withCalls),
      searchStore.describe(database.within(workspaceId), workspaceId, ids, wanted),
    ]);
    return rows.map((row) => {
      const {
        botName = '',
        assigneeName = null,
        userName = null,
        latestTurnStatus = null,
        preview = null,
        previewRole = null,
        previewAuthor = null,
        latestAct = null,
        match = null,
      } = described.get(row.id) ?? {};
      return {
        ...toWire(row, { run: latest.get(row.id), call: calls.get(row.id) }),
        bot_name: botName,
        assignee_name: assigneeName,
        user_name: userName,
        latest_turn_status: latestTurnStatus,
        preview,
        preview_role: previewRole,
        preview_author: previewAuthor,
        latest_act: latestAct,
        ...(match !== null && { match }),
      };
    });
  }

  async function requireBot(workspaceId: string, { bot_id: botId }: { bot_id?: string }): Promise<void> {
    if (botId !== undefined) await bots.getRow(workspaceId, botId);
  }

  /** Whoever searches for the exact name of a user means that user, and an index finds their conversations. */
  async function withUser(workspaceId: string, filter: SearchFilter): Promise<SearchFilter> {
    const { wanted, externalUserId } = filter;
    if (!wanted || !('text' in wanted) || wanted.isQuoted || externalUserId !== undefined) return filter;
    if (!(await searchStore.hasUser(database.within(workspaceId), workspaceId, wanted.text))) return filter;
    return { ...filter, externalUserId: wanted.text, wanted: undefined };
  }

  /** Up to `limit` matches in the next batch, and where it ends; undefined if it was the last one. */
  async function readBatch(
    workspaceId: string,
    filter: SearchFilter,
    { size, limit }: { size: number; limit: number },
  ): Promise<{ rows: ConversationRow[]; end: string | undefined; milliseconds: number }> {
    const startedAt = performance.now();
    const bounds = { size, messages: maxMessagesPerBatch };
    const end = await searchStore.batchEnd(database.within(workspaceId), workspaceId, filter, bounds);
    const batch = { ...filter, through: end };
    const rows = await searchStore.list(database.within(workspaceId), workspaceId, batch, limit);
    return { rows, end, milliseconds: performance.now() - startedAt };
  }

  /** A page of rows, and where the next one begins. */
  async function readPage(workspaceId: string, filter: SearchFilter, limit: number, isGone: () => boolean) {
    const hasIndexedStatus = !filter.status || filter.status === 'running' || filter.status === 'paused';
    // Nearly all are open, or nearly none: then indexes do not help.
    const hasIndexedState =
      filter.state !== 'open' || filter.assignee !== undefined || filter.needsHuman || filter.waits;
    const isDirect =
      hasIndexedStatus &&
      hasIndexedState &&
      filter.label === undefined &&
      (!filter.wanted || 'id' in filter.wanted);
    if (isDirect) {
      const rows = await searchStore.list(database.within(workspaceId), workspaceId, filter, limit + 1);
      return pageOf(rows, limit, filter);
    }
    const endsAt = performance.now() + budgetMilliseconds;
    const found: ConversationRow[] = [];
    let { after } = filter;
    for (let size = firstBatchSize; ; ) {
      const rest = { ...filter, after };
      const missing = limit + 1 - found.length;
      const { rows, end, milliseconds } = await lane(() =>
        readBatch(workspaceId, rest, { size, limit: missing }),
      );
      found.push(...rows);
      if (found.length > limit) return pageOf(found, limit, filter);
      if (end === undefined) return { rows: found, next: undefined };
      after = end;
      if (isGone() || performance.now() > endsAt) return { rows: found, next: end };
      if (milliseconds < quickMilliseconds) size = Math.min(size * 2, maxBatchSize);
    }
  }

  return {
    /** `next` may be set even if the page is not full: then the search has not come further. */
    async search(workspaceId: string, query: ConsoleConversationQuery, isGone: () => boolean = () => false) {
      await requireBot(workspaceId, query);
      const filter = await withUser(workspaceId, {
        ...filterOf(query),
        order: 'active',
        after: query.before,
      });
      const { rows, next } = await readPage(workspaceId, filter, query.limit ?? defaultLimit, isGone);
      return { conversations: await show(workspaceId, rows, filter.wanted), next };
    },

    /** The conversations with these ids that exist, as lists show them. */
    async listByIds(workspaceId: string, ids: readonly string[]): Promise<ListedConversation[]> {
      return show(workspaceId, await searchStore.listByIds(database.within(workspaceId), workspaceId, ids));
    },

    /** The conversations that wait for a person, the longest-waiting first. */
    async listWaiting(workspaceId: string, limit: number): Promise<ListedConversation[]> {
      return show(
        workspaceId,
        await searchStore.listWaiting(database.within(workspaceId), workspaceId, limit),
      );
    },

    /** What is assigned to a member and not answered, and what mentions them unseen. */
    async listForMember(workspaceId: string, memberId: string, limit: number): Promise<ListedConversation[]> {
      return show(
        workspaceId,
        await searchStore.listForMember(database.within(workspaceId), workspaceId, memberId, limit),
      );
    },

    countWaiting(workspaceId: string): Promise<number> {
      return searchStore.countWaiting(database.within(workspaceId), workspaceId);
    },

    /** All conversations that match, as text that is read as fast as it is consumed. */
    async export(
      workspaceId: string,
      query: ConversationExportQuery,
      isGone: () => boolean,
    ): Promise<AsyncGenerator<string>> {
      await requireBot(workspaceId, query);
      let filter: SearchFilter | undefined;
      return exportConversations(query.format, {
        async readPage(after, limit) {
          // By when they began: what is written meanwhile moves none of them.
          filter ??= await withUser(workspaceId, { ...filterOf(query), order: 'created' });
          const page = { ...filter, after };
          const { rows, next } = await readPage(workspaceId, page, limit, isGone);
          // The client has gone, which a search that finds nothing would not notice.
          return { conversations: await show(workspaceId, rows), next: isGone() ? undefined : next };
        },
        readMessages: (conversationId, page) =>
          searchStore.listMessagesAfter(database.within(workspaceId), workspaceId, conversationId, page),
      });
    },
  };
}

/** The first rows, and where the next page begins if there are more. */
function pageOf(rows: ConversationRow[], limit: number, { order }: SearchFilter) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next: last && rows.length > limit ? cursorOf(last, order) : undefined };
}

function filterOf(query: Omit<ConsoleConversationQuery, 'limit' | 'before'>) {
  const { q, bot_id: botId, channel, external_user_id: externalUserId, status, from, to } = query;
  const { assignee, state, label, rating } = query;
  return {
    botId,
    channel,
    externalUserId,
    status,
    needsHuman: query.needs_human,
    waits: query.waits,
    assignee,
    state,
    rating,
    label,
    wanted: q === undefined ? undefined : wantedText(q),
    fromId: from && firstIdAt(new Date(from)),
    toId: to && firstIdAt(new Date(to)),
  };
}
