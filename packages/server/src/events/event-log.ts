import { turnEnds } from '@svc/contract/event-names';
import type { Queryable, Statement, Transaction } from '../database/database.ts';
import { and, asc, eq, gt, inArray, min, or, sql } from '../database/drizzle.ts';
import type { EventRow, NewEvent } from './event.ts';
import { events } from './events.tables.ts';

const append: Statement = {
  name: 'events.append',
  text: 'select append_events($1, $2, $3, $4, $5)::int as first',
};

const listGrown: Statement = {
  name: 'events.list_grown',
  text: `select followed.id, conversations.last_sequence::int as "lastSequence"
  from unnest($1::uuid[], $2::bigint[]) as followed (id, position) left join conversations using (id)
  where conversations.last_sequence > followed.position or conversations.id is null`,
};

export interface Entry {
  conversationId: string;
  turnId: string | null;
  events: readonly NewEvent[];
  /** The conversation's new status; unchanged when left out. */
  status?: 'idle' | 'running' | 'paused';
  /** How many messages are written with the events; negative when some are removed. */
  messages?: number;
}

export interface ToolCallDuration {
  callId: string;
  durationMs: number;
}

export const eventLog = {
  /** Writes events in the caller's transaction and returns the number of the first. */
  async append(tx: Transaction, entry: Entry): Promise<number> {
    const { conversationId, turnId, status = null, messages = 0 } = entry;
    const values = [conversationId, turnId, JSON.stringify(entry.events), status, messages];
    const rows = await tx.prepared<{ first: number }>(append, values);
    const first = rows[0]?.first;
    if (first === undefined) throw new Error('append_events returned no sequence number.');
    return first;
  },

  /** Events after a number, oldest first. */
  async list(
    query: Queryable,
    workspaceId: string,
    conversationId: string,
    { after, limit }: { after: number; limit: number },
  ): Promise<EventRow[]> {
    const rows = await query
      .select()
      .from(events)
      .where(
        and(
          eq(events.conversationId, conversationId),
          eq(events.workspaceId, workspaceId),
          // A larger number would overflow the column; it simply has no events after it.
          gt(events.sequence, Math.min(after, Number.MAX_SAFE_INTEGER)),
        ),
      )
      .orderBy(asc(events.sequence))
      .limit(limit);
    return rows.map(toEvent);
  },

  /** The events of one turn, oldest first. */
  async listOfTurn(query: Queryable, workspaceId: string, conversationId: string, turnId: string) {
    const rows = await query
      .select()
      .from(events)
      .where(
        and(
          eq(events.conversationId, conversationId),
          eq(events.workspaceId, workspaceId),
          eq(events.turnId, turnId),
        ),
      )
      .orderBy(asc(events.sequence));
    return rows.map(toEvent);
  },

  /** How long each call took, without what it returned. */
  listDurations(query: Queryable, workspaceId: string, conversationId: string): Promise<ToolCallDuration[]> {
    return query
      .select({
        callId: sql<string>`${events.data} ->> 'tool_call_id'`,
        durationMs: sql<number>`(${events.data} ->> 'duration_ms')::int`,
      })
      .from(events)
      .where(
        and(
          eq(events.conversationId, conversationId),
          eq(events.workspaceId, workspaceId),
          eq(events.type, 'tool.completed'),
        ),
      )
      .orderBy(asc(events.sequence));
  },

  /** Which of these conversations have events after the given number, and which were deleted: those have null. */
  listGrownAcrossWorkspaces(
    query: Queryable,
    conversations: readonly { conversationId: string; position: number }[],
  ): Promise<{ id: string; lastSequence: number | null }[]> {
    const ids = conversations.map(({ conversationId }) => conversationId);
    return query.prepared(listGrown, [ids, conversations.map(({ position }) => position)]);
  },

  /** The number of a turn's first event. */
  async firstOfTurn(query: Queryable, workspaceId: string, conversationId: string, turnId: string) {
    const rows = await query
      .select({ first: min(events.sequence) })
      .from(events)
      .where(
        and(
          eq(events.conversationId, conversationId),
          eq(events.workspaceId, workspaceId),
          eq(events.turnId, turnId),
        ),
      );
    return rows[0]?.first ?? 1;
  },

  /**
   * Whether an event after a number ends the stream of a turn that is not running. Other events of the turn do not end it:
   * one of several approvals can be answered after the pause.
   */
  async hasEnd(
    query: Queryable,
    workspaceId: string,
    { conversationId, turnId, after }: { conversationId: string; turnId: string; after: number },
  ): Promise<boolean> {
    const rows = await query
      .select({ sequence: events.sequence })
      .from(events)
      .where(
        and(
          eq(events.conversationId, conversationId),
          eq(events.workspaceId, workspaceId),
          gt(events.sequence, after),
          or(
            and(eq(events.turnId, turnId), inArray(events.type, [...turnEnds])),
            eq(events.type, 'conversation.truncated'),
          ),
        ),
      )
      .limit(1);
    return rows.length > 0;
  },

  /** Removes the events after a number. Their numbers are not used again. */
  async removeAfter(tx: Transaction, workspaceId: string, conversationId: string, sequence: number) {
    await tx
      .delete(events)
      .where(
        and(
          eq(events.conversationId, conversationId),
          eq(events.workspaceId, workspaceId),
          gt(events.sequence, sequence),
        ),
      );
  },
};

/** The only place where a stored row becomes a typed event. Rows are not validated, so that old ones stay readable. */
function toEvent({ sequence, turnId, type, data, createdAt }: typeof events.$inferSelect): EventRow {
  return { sequence, turnId, type, data: withLaterFields(type, data), createdAt } as EventRow;
}

type Data = Record<string, unknown>;

/** The data of a stored event, with the fields that events of its kind did not have yet when it was stored. */
function withLaterFields(type: string, data: unknown): unknown {
  if (!isObject(data)) return data;
  if (type === 'turn.completed') return { handed_off: false, ...data };
  if (isObject(data['message'])) return { ...data, message: withLaterOfMessage(data['message']) };
  if (isObject(data['user_message']))
    return { ...data, user_message: withLaterOfMessage(data['user_message']) };
  return data;
}

function withLaterOfMessage(message: Data): Data {
  const isComplete = 'author_name' in message && 'rating' in message;
  return isComplete ? message : { author_name: null, rating: null, ...message };
}

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
