import type { SQL } from 'drizzle-orm';
import { and, desc, gte, lt, sql } from '../../database/drizzle.ts';
import { firstIdAt } from '../../lib/new-id.ts';
import type { ConversationRow } from '../conversations.store.ts';
import { conversations } from '../conversations.tables.ts';

/** By when they began, which never changes, or by their latest message. */
export type SearchOrder = 'created' | 'active';

/** An index has the hour. The time is cut as it is for JavaScript, whose cursors name it. */
const { activeHour } = conversations;
const activeAt = sql`date_trunc('milliseconds', coalesce(${conversations.lastMessageAt}, ${conversations.createdAt}))`;
const restOfId = sql`substr(${conversations.id}::text, 15)`;

export function newestFirst(order: SearchOrder): SQL {
  if (order === 'created') return desc(conversations.id);
  return sql`${activeHour} desc, ${activeAt} desc, ${restOfId} desc`;
}

/**
 * Where a page ends: an id, as version 7 UUIDs begin with a time. In the order of activity that is the time of the latest message, so
 * that a conversation whose next message comes before the next page is read leaves no gap.
 */
export function cursorOf(
  { id, lastMessageAt, createdAt }: Pick<ConversationRow, 'id' | 'lastMessageAt' | 'createdAt'>,
  order: SearchOrder,
): string {
  return order === 'created' ? id : firstIdAt(lastMessageAt ?? createdAt).slice(0, 14) + id.slice(14);
}

/** After one cursor, and up to and with another. */
export function isBetween({
  order,
  after,
  through,
}: {
  order: SearchOrder;
  after?: string | undefined;
  through?: string | undefined;
}): SQL | undefined {
  if (order === 'created')
    return and(
      after ? lt(conversations.id, after) : undefined,
      through ? gte(conversations.id, through) : undefined,
    );
  return and(isBeyond('<', after), isBeyond('>=', through));
}

/** Row-level security keeps PostgreSQL from looking up the time in an index, as it is computed, but not the hour. */
function isBeyond(comparison: '<' | '>=', cursor: string | undefined): SQL | undefined {
  if (cursor === undefined) return undefined;
  const milliseconds = Number.parseInt(cursor.slice(0, 13).replace('-', ''), 16);
  const at = sql`to_timestamp(${milliseconds}::float8 / 1000)`;
  const hour = sql`date_trunc('hour', ${at} at time zone 'UTC')`;
  return and(
    comparison === '<' ? sql`${activeHour} <= ${hour}` : sql`${activeHour} >= ${hour}`,
    sql`(${activeHour}, ${activeAt}, ${restOfId}) ${sql.raw(comparison)} (${hour}, ${at}, ${cursor.slice(14).toLowerCase()})`,
  );
}
