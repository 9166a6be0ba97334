import { type Channel, unlistedChannels } from '@svc/contract/channels';
import type { ListedConversation } from '@svc/contract/console-conversations';
import type { ConversationStatus, TurnStatus } from '@svc/contract/conversations';
import type { SQL } from 'drizzle-orm';
import type { Queryable } from '../../database/database.ts';
import {
  and,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  notInArray,
  or,
  sql,
} from '../../database/drizzle.ts';
import { isInForce } from '../branches/branches.store.ts';
import type { ConversationRow } from '../conversations.store.ts';
import { conversations, messages } from '../conversations.tables.ts';
import { type InboxFilter, isInInbox } from '../inbox.store.ts';
import { cursorOf, isBetween, newestFirst, type SearchOrder } from './search-order.store.ts';
import { containing, type WantedText } from './wanted-text.ts';

export interface SearchFilter extends InboxFilter {
  botId?: string | undefined;
  channel?: Channel | undefined;
  externalUserId?: string | undefined;
  needsHuman?: boolean | undefined;
  waits?: boolean | undefined;
  /** Begun from this id, inclusive, and up to that one, exclusive. */
  fromId?: string | undefined;
  toId?: string | undefined;
  order: SearchOrder;
  /** Cursors in this order: what comes after the first, and up to and with the second. */
  after?: string | undefined;
  through?: string | undefined;
  status?: ConversationStatus | undefined;
  label?: string | undefined;
  wanted?: WantedText | undefined;
}

/** What a conversation shows in lists besides its own row. */
export interface Description {
  botName: string;
  assigneeName: string | null;
  userName: string | null;
  latestTurnStatus: TurnStatus | null;
  preview: string | null;
  previewRole: ListedConversation['preview_role'];
  previewAuthor: string | null;
  latestAct: NonNullable<ListedConversation['latest_act']> | null;
  /** The text around the place where the wanted text was found. */
  match: string | null;
}

/** Those that were snoozed wait again when their time has come. */
const waiting: SearchFilter = { waits: true, state: 'open', order: 'created' };

const previewCharacters = 160;
/** Of conversations whose messages have to be read to know whether they count. */
const maxConsidered = 500;
const contextCharacters = 60;

/** Text that people and the bot wrote; results of tools are not searched. */
const isWritten = sql`m.role in ('user', 'assistant', 'operator') and m.content <> '' and m.branch_id is null`;

export const searchStore = {
  /** The cursor with which a batch of so many candidates, or messages of them, ends; undefined if there are fewer. */
  async batchEnd(
    query: Queryable,
    workspaceId: string,
    filter: SearchFilter,
    { size, messages: maxMessages }: { size: number; messages: number },
  ): Promise<string | undefined> {
    const order = newestFirst(filter.order);
    const { rows } = await query.execute<{
      id: string;
      last_message_at: string | null;
      created_at: string;
    }>(sql`
      select id, last_message_at, created_at from (
        select *, row_number() over newest as place, sum(message_count) over newest as messages
        from (
          select id, message_count, last_message_at, created_at, active_hour from ${conversations}
          where ${isCandidate(workspaceId, filter)} order by ${order} limit ${size}
        ) as conversations
        window newest as (order by ${order} rows unbounded preceding)
      ) as conversations
      where place = ${size} or messages >= ${maxMessages}
      order by ${order} limit 1`);
    const [end] = rows;
    return (
      end &&
      cursorOf(
        {
          id: end.id,
          lastMessageAt: end.last_message_at === null ? null : new Date(end.last_message_at),
          createdAt: new Date(end.created_at),
        },
        filter.order,
      )
    );
  },

  /** Whether a user has this very name. */
  async hasUser(query: Queryable, workspaceId: string, externalUserId: string): Promise<boolean> {
    const rows = await query
      .select({ id: conversations.id })
      .from(conversations)
      .where(
        and(eq(conversations.workspaceId, workspaceId), eq(conversations.externalUserId, externalUserId)),
      )
      .limit(1);
    return rows.length > 0;
  },

  /** Newest first, in the order of the filter. */
  list(query: Queryable, workspaceId: string, filter: SearchFilter, limit: number) {
    return query
      .select()
      .from(conversations)
      .where(
        and(
          isCandidate(workspaceId, filter),
          hasStatus(workspaceId, filter.status),
          filter.label === undefined ? undefined : sql`${filter.label} = any(${conversations.labels})`,
          hasText(filter.wanted),
        ),
      )
      .orderBy(newestFirst(filter.order))
      .limit(limit);
  },

  /** What is assigned to a member, open and not answered by a person, and what mentions them unseen; the latest first. */
  listForMember(query: Queryable, workspaceId: string, memberId: string, limit: number) {
    const { id, unreadMentions } = conversations;
    const lastWriter = sql`(select m.role from messages m
      where m.conversation_id = ${id} and ${isWritten} order by m.sequence desc limit 1)`;
    // Each by its own index: PostgreSQL would use none for one or the other.
    const latestOf = (condition: SQL | undefined) =>
      query
        .select({ id })
        .from(conversations)
        .where(and(isCandidate(workspaceId, { order: 'active' }), condition))
        .orderBy(newestFirst('active'))
        .limit(maxConsidered);
    const assigned = latestOf(isInInbox(workspaceId, { assignee: memberId, state: 'open' }));
    const isMentioning = and(isNotNull(unreadMentions), sql`${memberId} = any(${unreadMentions})`);
    return query
      .select()
      .from(conversations)
      .where(
        and(
          sql`${id} in ((${assigned}) union all (${latestOf(isMentioning)}))`,
          or(isMentioning, sql`${lastWriter} is distinct from 'operator'`),
        ),
      )
      .orderBy(newestFirst('active'))
      .limit(limit);
  },

  listByIds(query: Queryable, workspaceId: string, ids: readonly string[]): Promise<ConversationRow[]> {
    return query
      .select()
      .from(conversations)
      .where(and(eq(conversations.workspaceId, workspaceId), inArray(conversations.id, [...ids])))
      .orderBy(desc(conversations.id));
  },

  /** The longest-waiting first. */
  listWaiting(query: Queryable, workspaceId: string, limit: number): Promise<ConversationRow[]> {
    return query
      .select()
      .from(conversations)
      .where(isCandidate(workspaceId, waiting))
      .orderBy(conversations.handoffRequestedAt, conversations.id)
      .limit(limit);
  },

  /** At most as many as are considered: the latest messages of each are read. */
  async countWaiting(query: Queryable, workspaceId: string): Promise<number> {
    const found = query
      .select({ id: conversations.id })
      .from(conversations)
      .where(isCandidate(workspaceId, waiting))
      .limit(maxConsidered);
    const rows = await query.select({ count: sql<number>`count(*)::int` }).from(found.as('waiting'));
    return rows[0]?.count ?? 0;
  },

  /** What each conversation shows besides its own row. */
  async describe(
    query: Queryable,
    workspaceId: string,
    ids: readonly string[],
    wanted: WantedText | undefined,
  ): Promise<Map<string, Description>> {
    if (ids.length === 0) return new Map();
    const text = wanted && 'text' in wanted ? wanted.text : undefined;
    const found =
      text === undefined
        ? sql`null`
        : sql`(select substr(m.content, greatest(1, position(lower(${text}) in lower(m.content)) - ${contextCharacters}), ${contextCharacters * 2 + text.length})
            from messages m where m.conversation_id = c.id and ${isWritten} and m.content ilike ${containing(text)}
            order by m.sequence limit 1)`;
    const { rows } = await query.execute<{
      id: string;
      bot_name: string;
      assignee_name: string | null;
      user_name: string | null;
      latest_turn_status: TurnStatus | null;
      preview: string | null;
      preview_role: Description['previewRole'];
      preview_author: string | null;
      latest_act: Description['latestAct'];
      match: string | null;
    }>(sql`
      select c.id, (select b.name from bots b where b.id = c.bot_id) as bot_name,
        (select u.name from users u where u.id = c.assignee_id) as assignee_name,
        (select d.name from end_user_details d
          where d.workspace_id = c.workspace_id and d.external_user_id = c.external_user_id) as user_name,
        ${statusOfLatestTurn(sql`c.id`)} as latest_turn_status,
        latest.preview, latest.role as preview_role, latest.author_name as preview_author, ${found} as match,
        case when c.handoff_requested_at is not null then ${latestAct(sql`c.id`)} end as latest_act
      from conversations c
      left join lateral (select left(m.content, ${previewCharacters}) as preview, m.role, m.author_name from messages m
        where m.conversation_id = c.id and ${isWritten} order by m.sequence desc limit 1) latest on true
      where c.workspace_id = ${workspaceId} and c.id in (${sql.join([...ids], sql`, `)})`);
    return new Map(
      rows.map((row) => [
        row.id,
        {
          botName: row.bot_name,
          assigneeName: row.assignee_name,
          userName: row.user_name,
          latestTurnStatus: row.latest_turn_status,
          preview: row.preview,
          previewRole: row.preview_role,
          previewAuthor: row.preview_author,
          latestAct: row.latest_act,
          match: row.match,
        },
      ]),
    );
  },

  /** Messages in force after a number, in their order, for exports of conversations of any length. */
  listMessagesAfter(
    query: Queryable,
    workspaceId: string,
    conversationId: string,
    { after, limit }: { after: number; limit: number },
  ) {
    return query
      .select()
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, conversationId),
          eq(messages.workspaceId, workspaceId),
          sql`${messages.sequence} > ${after}`,
          isInForce,
        ),
      )
      .orderBy(messages.sequence)
      .limit(limit);
  },
};

/**
 * While the bot is silent: what happened last between the user and the team. A program that takes over only asks for a person. What is
 * older than the notes has none.
 */
function latestAct(conversationId: SQL): SQL {
  return sql`coalesce((select act from (
      (select m.role as act, m.created_at from messages m
        where m.conversation_id = ${conversationId} and m.branch_id is null and m.role in ('user', 'operator')
        order by m.sequence desc limit 1)
      union all
      (select case when n.kind = 'taken_over' and n.author_id is not null then 'taken_over' else 'handed_off' end, n.created_at
        from conversation_notes n
        where n.conversation_id = ${conversationId} and n.kind in ('handed_off', 'taken_over')
        order by n.id desc limit 1)
    ) as acts order by created_at desc limit 1), 'handed_off')`;
}

/** A person was asked and nobody has taken over or answered since, or the user has written since. */
const isWaiting = and(
  isNotNull(conversations.handoffRequestedAt),
  sql`${latestAct(sql`${conversations.id}`)} in ('user', 'handed_off')`,
);

/** Conditions that indexes answer. */
function isCandidate(workspaceId: string, filter: SearchFilter): SQL | undefined {
  const { botId, channel, externalUserId, needsHuman, waits, fromId, toId } = filter;
  return and(
    eq(conversations.workspaceId, workspaceId),
    channel === undefined
      ? notInArray(conversations.channel, unlistedChannels)
      : eq(conversations.channel, channel),
    botId === undefined ? undefined : eq(conversations.botId, botId),
    externalUserId === undefined ? undefined : eq(conversations.externalUserId, externalUserId),
    needsHuman === undefined
      ? undefined
      : (needsHuman ? isNotNull : isNull)(conversations.handoffRequestedAt),
    isInInbox(workspaceId, filter),
    waits ? isWaiting : undefined,
    fromId === undefined ? undefined : gte(conversations.id, fromId),
    toId === undefined ? undefined : lt(conversations.id, toId),
    isBetween(filter),
  );
}

/**
 * Few turns are open, and an index holds only those. The status of other conversations is that of their call, their latest run or
 * their latest turn; all are idle whose own row says so and that have neither a call nor a run.
 */
function hasStatus(workspaceId: string, status: ConversationStatus | undefined): SQL | undefined {
  if (status === undefined) return undefined;
  if (status === 'running' || status === 'paused') {
    return sql`${conversations.id} in (select t.conversation_id from turns t
      where t.status in ('running', 'paused') and t.status = ${status} and t.workspace_id = ${workspaceId})`;
  }
  const call = sql`(select c.status from voice_calls c where c.id = ${conversations.id})`;
  const latest = sql`(select r.status from runs r where r.conversation_id = ${conversations.id} order by r.turn_id desc limit 1)`;
  const own = status === 'idle' ? sql`${conversations.status}` : statusOfLatestTurn(sql`${conversations.id}`);
  return sql`coalesce(${call}, ${latest}, ${own}) = ${status}`;
}

function statusOfLatestTurn(conversationId: SQL): SQL {
  return sql`(select t.status from messages m join turns t on t.id = m.turn_id
    where m.conversation_id = ${conversationId} and m.branch_id is null order by m.sequence desc limit 1)`;
}

function hasText(wanted: WantedText | undefined): SQL | undefined {
  if (wanted === undefined) return undefined;
  if ('id' in wanted) {
    return sql`${conversations.id} in (
      select ${wanted.id}::uuid
      union all select m.conversation_id from messages m where m.id = ${wanted.id}
      union all select t.conversation_id from turns t where t.id = ${wanted.id})`;
  }
  const pattern = containing(wanted.text);
  const inMessages = sql`exists (select 1 from messages m
    where m.conversation_id = ${conversations.id} and ${isWritten} and m.content ilike ${pattern})`;
  if (wanted.isQuoted) return inMessages;
  return or(
    sql`${conversations.externalUserId} ilike ${pattern}`,
    sql`${conversations.title} ilike ${pattern}`,
    sql`exists (select 1 from end_user_details d where d.workspace_id = ${conversations.workspaceId}
      and d.external_user_id = ${conversations.externalUserId} and (d.name ilike ${pattern} or d.email ilike ${pattern}))`,
    inMessages,
  );
}
