import type { SQL } from 'drizzle-orm';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';

/** A part of an export: JSON, and where the next page begins. */
interface ExportedRow {
  key: string;
  json: string;
}

/** What a conversation has many of, by its name in the export. Each row has a key by which the next page is found. */
const lists = {
  messages: {
    key: sql`x.sequence`,
    type: sql`bigint`,
    from: sql`messages`,
    fields: sql`'id', x.id, 'role', x.role, 'content', x.content, 'author_name', x.author_name, 'tool_calls', x.tool_calls,
      'tool_call_id', x.tool_call_id, 'citations', x.citations, 'interrupted', x.interrupted, 'failed', x.failed,
      'attachments', x.attachments, 'rating', x.rating, 'rating_comment', x.rating_comment, 'created_at', x.created_at`,
  },
  notes: {
    key: sql`x.id`,
    type: sql`uuid`,
    from: sql`conversation_notes`,
    fields: sql`'id', x.id, 'kind', x.kind, 'text', x.text, 'created_at', x.created_at`,
  },
  // A message has the arguments that the model proposed; these ran.
  tool_calls: {
    key: sql`x.id`,
    type: sql`uuid`,
    from: sql`tool_calls`,
    fields: sql`'id', x.id, 'message_id', x.message_id, 'name', x.name, 'arguments', coalesce(x.executed_arguments, x.arguments),
      'status', x.status, 'started_at', x.started_at`,
  },
  approvals: {
    key: sql`x.id`,
    type: sql`uuid`,
    from: sql`approvals`,
    fields: sql`'id', x.id, 'tool_name', x.tool_name, 'summary', x.context ->> 'summary', 'arguments', x.arguments,
      'edited_arguments', x.edited_arguments, 'status', x.status, 'reason', x.reason, 'created_at', x.created_at,
      'resolved_at', x.resolved_at`,
  },
  runs: {
    key: sql`x.turn_id`,
    type: sql`uuid`,
    from: sql`runs`,
    fields: sql`'trigger', x.trigger, 'goal', x.goal, 'payload', x.payload, 'status', x.status, 'final_output', x.final_output,
      'started_at', x.started_at, 'ended_at', x.ended_at`,
  },
} as const;

export type ExportedList = keyof typeof lists;
export const exportedLists = Object.keys(lists) as ExportedList[];

const call = (
  publicUrl: string,
) => sql`(select json_build_object('direction', v.direction, 'from_number', v.from_number,
    'to_number', v.to_number, 'status', v.status, 'end_reason', v.end_reason, 'summary', v.summary, 'created_at', v.created_at,
    'answered_at', v.answered_at, 'ended_at', v.ended_at,
    'recording_url', (select ${publicUrl}::text || '/api/v1/calls/' || r.call_id || '/recording' from call_recordings r
      where r.call_id = v.id and r.bytes > 0),
    'hooks', coalesce((select json_agg(json_build_object('tool_name', h.tool_name, 'status', h.status, 'result', h.result,
      'ended_at', h.ended_at) order by h.position) from voice_call_hooks h where h.call_id = v.id), '[]'))
  from voice_calls v where v.id = c.id)`;

const used = (of: SQL) => sql`(select json_build_object('input_tokens', coalesce(sum(u.input_tokens), 0),
    'output_tokens', coalesce(sum(u.output_tokens), 0), 'call_seconds', coalesce(sum(u.call_seconds), 0),
    'cost_usd', coalesce(sum(u.cost_usd), 0)::text)
  from usage_records u where u.workspace_id = ${of})`;

export const endUserExportStore = {
  /** Oldest first. The JSON of each is an object, to which its lists are added. */
  async listConversations(
    query: Queryable,
    {
      workspaceId,
      externalUserId,
      publicUrl,
    }: { workspaceId: string; externalUserId: string; publicUrl: string },
    after: string | undefined,
    limit: number,
  ): Promise<ExportedRow[]> {
    const { rows } = await query.execute<ExportedRow & Record<string, unknown>>(sql`
      select c.id::text as key, json_build_object('id', c.id, 'bot_id', c.bot_id,
        'bot_name', (select b.name from bots b where b.id = c.bot_id), 'channel', c.channel, 'title', c.title,
        'status', c.status, 'metadata', c.metadata, 'summary', c.summary, 'needs_human_reason', c.handoff_reason,
        'labels', coalesce(c.labels, '{}'),
        'created_at', c.created_at, 'updated_at', c.updated_at, 'last_message_at', c.last_message_at,
        'call', ${call(publicUrl)}, 'usage', ${used(sql`${workspaceId} and u.conversation_id = c.id`)})::text as json
      from conversations c
      where c.workspace_id = ${workspaceId} and c.external_user_id = ${externalUserId}
        ${after === undefined ? sql`` : sql`and c.id > ${after}::uuid`}
      order by c.id limit ${limit}`);
    return rows;
  },

  /** How many conversations the person has up to this one. */
  async countUntil(
    query: Queryable,
    { workspaceId, externalUserId }: { workspaceId: string; externalUserId: string },
    lastId: string,
  ): Promise<number> {
    const { rows } = await query.execute<{
      count: number;
    }>(sql`select count(*)::int as count from conversations
      where workspace_id = ${workspaceId} and external_user_id = ${externalUserId} and id <= ${lastId}::uuid`);
    return rows[0]?.count ?? 0;
  },

  /** A page of one of a conversation's lists. */
  async list(
    query: Queryable,
    {
      workspaceId,
      conversationId,
      list,
    }: { workspaceId: string; conversationId: string; list: ExportedList },
    after: string | undefined,
    limit: number,
  ): Promise<ExportedRow[]> {
    const { key, type, from, fields } = lists[list];
    const { rows } = await query.execute<ExportedRow & Record<string, unknown>>(sql`
      select ${key}::text as key, json_build_object(${fields})::text as json from ${from} x
      where x.workspace_id = ${workspaceId} and x.conversation_id = ${conversationId}
        ${after === undefined ? sql`` : sql`and ${key} > ${after}::${type}`}
      order by ${key} limit ${limit}`);
    return rows;
  },

  /** What is known of the person besides their conversations. */
  async details(query: Queryable, workspaceId: string, externalUserId: string): Promise<string> {
    const { rows } = await query.execute<{ json: string }>(sql`
      select json_build_object('name', d.name, 'email', d.email, 'page_url', d.page_url, 'page_title', d.page_title,
        'browser', d.browser, 'seen_at', d.seen_at)::text as json
      from end_user_details d where d.workspace_id = ${workspaceId} and d.external_user_id = ${externalUserId}`);
    return rows[0]?.json ?? 'null';
  },

  /** What the person has used altogether, also in conversations that are deleted. */
  async usage(query: Queryable, workspaceId: string, externalUserId: string): Promise<string> {
    const { rows } = await query.execute<{ json: string }>(
      sql`select ${used(sql`${workspaceId} and u.external_user_id = ${externalUserId}`)}::text as json`,
    );
    return rows[0]?.json ?? 'null';
  },
};
