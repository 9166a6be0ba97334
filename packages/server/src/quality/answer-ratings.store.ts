import type { AnswerRatings } from '@svc/contract/console-quality';
import type { Queryable } from '../database/database.ts';
import { sql } from '../database/drizzle.ts';

interface Range {
  /** Undefined: of all bots. */
  botId: string | undefined;
  since: Date;
}

type Row = Pick<AnswerRatings, 'up' | 'down'> & { comments: AnswerRatings['comments'] | null };

const maxComments = 5;

/** What users think of the answers that were given since then. Few messages are rated, and an index has only those. */
export async function readAnswerRatings(
  query: Queryable,
  workspaceId: string,
  { botId, since }: Range,
): Promise<AnswerRatings> {
  const ofBot = botId === undefined ? sql`` : sql`and c.bot_id = ${botId}`;
  const { rows } = await query.execute<Row>(sql`
    with rated as (
      select c.bot_id, m.conversation_id, m.id, m.rating, m.rating_comment, m.created_at
      from messages m join conversations c on c.id = m.conversation_id and c.workspace_id = m.workspace_id
      where m.workspace_id = ${workspaceId} and m.rating is not null and m.branch_id is null
        and m.created_at >= ${since} ${ofBot}),
    latest as (
      select * from rated where rating_comment is not null order by created_at desc, id desc limit ${maxComments})
    select (count(*) filter (where rating = 'up'))::int as up, (count(*) filter (where rating = 'down'))::int as down,
      (select json_agg(json_build_object('bot_id', bot_id, 'conversation_id', conversation_id, 'message_id', id,
        'comment', rating_comment, 'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        order by created_at desc, id desc) from latest) as comments
    from rated`);
  const { up = 0, down = 0, comments } = rows[0] ?? {};
  return { up, down, comments: comments ?? [] };
}
