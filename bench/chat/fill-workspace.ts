import type { Service } from './stage.ts';

export interface Filling {
  /** In the whole workspace. */
  messages: number;
  /** In its one long conversation. */
  longest: number;
}

const turnsPerConversation = 100;

/** Ids that grow with time, as ours do. */
const id = (kind: number, number: string) =>
  `('01900000-0000-7000-800${kind}-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

/** Finished turns as the service would have left them, written by SQL. Returns the id of the long conversation. */
export async function fillWorkspace({ sql, bot }: Service, filling: Filling): Promise<string> {
  const [turns, longTurns] = [filling.messages / 2, filling.longest / 2];
  // What is written here is consistent, and gone if the machine stops: neither has to be checked or waited for.
  await sql(`set session_replication_role = replica`);
  await sql(`set synchronous_commit = off`);
  await sql(
    `create temporary table past as
    select n, w.workspace_id, w.id as bot_id, ${id(1, 'n')} as turn_id,
      case when n < ${longTurns} then ${id(0, '0')}
        else ${id(0, `1 + (n - ${longTurns}) / ${turnsPerConversation}`)} end as conversation_id,
      case when n < ${longTurns} then n else (n - ${longTurns}) % ${turnsPerConversation} end as place,
      'Where is parcel number ' || n || ', please?' as question,
      (select string_agg('token' || t, ' ') from generate_series(0, 59) as t) as reply
    from generate_series(0, ${turns} - 1) as n, bots as w where w.id = $1`,
    [bot['at-once']],
  );
  for (const statement of statements) await sql(statement);
  await sql(`reset session_replication_role`);
  await sql(`reset synchronous_commit`);
  await sql(`drop table past`);
  await sql(`vacuum analyze`);
  const [conversation] = await sql<{ id: string }>(`select ${id(0, '0')} as id`);
  return conversation?.id ?? '';
}

const message = (messageId: string, role: string, content: string) =>
  `json_build_object('id', ${messageId}, 'role', '${role}', 'content', ${content}, 'tool_calls', json_build_array(),
    'tool_call_id', null, 'citations', json_build_array(), 'interrupted', false, 'created_at', now())`;
const [questionId, replyId] = [id(2, 'n'), id(3, 'n')];
const keys = 'workspace_id, conversation_id, turn_id';

const statements = [
  `insert into conversations
    (id, workspace_id, bot_id, channel, external_user_id, title, message_count, last_sequence, last_message_at)
  select conversation_id, min(workspace_id::text)::uuid, min(bot_id::text)::uuid, 'chat', 'user of ' || conversation_id,
    'Parcels', 2 * count(*), 3 * count(*), now()
  from past group by conversation_id`,
  `insert into turns (id, workspace_id, conversation_id, bot_id, status, steps, ended_at)
  select turn_id, workspace_id, conversation_id, bot_id, 'completed', 1, now() from past order by n`,
  `insert into messages (id, ${keys}, sequence, role, content, created_at)
  select m.id, ${keys}, 3 * place + m.sequence, m.role, m.content, now()
  from past, lateral (values (${questionId}, 1, 'user', question), (${replyId}, 2, 'assistant', reply))
    as m (id, sequence, role, content)`,
  `insert into events (${keys}, sequence, type, data)
  select ${keys}, 3 * place + e.sequence, e.type, e.data
  from past, lateral (values
    (1, 'turn.started', json_build_object('turn_id', turn_id, 'conversation_id', conversation_id, 'bot_id', bot_id,
      'user_message', ${message(questionId, 'user', 'question')})),
    (2, 'message.completed', json_build_object('message', ${message(replyId, 'assistant', 'reply')})),
    (3, 'turn.completed', json_build_object('turn_id', turn_id, 'message_id', ${replyId}, 'cost_usd', '0',
      'usage', json_build_object('input_tokens', 20, 'cached_input_tokens', 0, 'output_tokens', 60)))
  ) as e (sequence, type, data)`,
  `insert into usage_records (id, ${keys}, model, input_tokens, cached_input_tokens, output_tokens, cost_usd)
  select ${id(4, 'n')}, ${keys}, 'openai/at-once', 20, 0, 60, 0 from past order by n`,
];
