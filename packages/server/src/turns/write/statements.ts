import type { Statement } from '../../database/database.ts';

/**
 * The statements of every turn. Each is a transaction of its own: what a step writes and the events that announce it are stored
 * together, in one round trip. They write to the tables of conversations, events and billing on purpose: otherwise they would be
 * six statements in a transaction.
 *
 * On their own they run across workspaces, because policies cost a tenth of a turn (decision 0064). So nothing but their own
 * conditions keeps them inside: a turn is admitted to a conversation of its workspace only, and a step takes the workspace from its turn.
 */

const insertTurn = `insert into turns (id, workspace_id, conversation_id, bot_id, status, node_id, reply_ids, options, is_metered)`;

/**
 * A turn is written only if the bot still has the revision that was read, and if money is reserved where the workspace has a
 * limited balance. Each statement returns both, so that no separate query is needed.
 */
const terms = `terms as materialized (
    select ($13::text is null or bots.xmin = $13::text::xid) as is_current, ($12 or credit_usd is null) as is_covered
    from workspaces join bots on bots.workspace_id = workspaces.id
    where workspaces.id = $2 and bots.id = $4
  )`;
const ifTermsHold = `from terms where is_current and is_covered`;

const insertMessage = `
  first as (select append_events($3, $1, $8, 'running', 1) as sequence from turn),
  hand_off as (
    select case when $14::json is null then false else complete_if_handed_off($3, $1, $14) end as is_handed_off from first
  ), message as (
    insert into messages (id, workspace_id, conversation_id, turn_id, sequence, role, content, created_at)
    select $9, $2, $3, $1, first.sequence + json_array_length($8::json) - 1, 'user', $10, $11 from first
  )
  select (select sequence::int from first) as first, (select is_handed_off from hand_off), is_current, is_covered from terms`;

/**
 * 1 turn, 2 workspace, 3 conversation, 4 bot, 5 node, 6 reply ids, 7 options, 8 events, 9–11 message, 12 metered,
 * 13 revision of the bot, 14 the events that end the turn if the conversation waits for a person, or null.
 */
const admitToConversation: Statement = {
  name: 'turns.admit',
  text: `with ${terms}, turn as (
    ${insertTurn} select $1, $2, $3, $4, 'running', $5, $6, $7, $12 ${ifTermsHold}
      and not exists (select from conversations where conversations.id = $3 and conversations.workspace_id <> $2)
    on conflict (conversation_id) where status in ('running', 'paused') do nothing
    returning id
  ), ${insertMessage}`,
};

const insertConversation = `
    insert into conversations
      (id, workspace_id, bot_id, channel, external_user_id, title, metadata, status, message_count, last_sequence, last_message_at)
    select $3, $2, $4, $14, $15, $16, $17, 'running', case when $18::uuid is null then 1 else 2 end,
      json_array_length($8::json), now() ${ifTermsHold}`;

/** A new conversation is inserted with the counters that it has after its first events, not inserted and then updated. */
const insertBeginning = `turn as (
    ${insertTurn} select $1, $2, id, $4, 'running', $5, $6, $7, $12 from conversation
  ), written_events as (
    insert into events (conversation_id, sequence, workspace_id, turn_id, type, data)
    select conversation.id, entry.ordinality, $2, $1, entry.value ->> 'type', entry.value -> 'data'
    from conversation, json_array_elements($8::json) with ordinality as entry
  ), message as (
    insert into messages (id, workspace_id, conversation_id, turn_id, sequence, role, content, created_at)
    select said.id, $2, conversation.id, $1, said.sequence, said.role, said.content, $11
    from conversation, (values
      ($18::uuid, 1, 'assistant', $19), ($9::uuid, json_array_length($8::json), 'user', $10)
    ) as said (id, sequence, role, content)
    where said.id is not null
  )`;

/** The same up to 13, then 14 channel, 15 external user, 16 title, 17 metadata, 18–19 the greeting or null. */
const admitToNewConversation: Statement = {
  name: 'turns.admit_new',
  text: `with ${terms}, conversation as (${insertConversation} returning id), ${insertBeginning}
  select (select 1 from conversation) as first, is_current, is_covered from terms`,
};

/** The same, for a user who has no conversation with the bot yet. If there is one it is returned, and nothing is written. */
const admitFirst: Statement = {
  name: 'turns.admit_first',
  text: `with ${terms}, latest as materialized (select * from latest_chat($2, $4, $15, $14)),
  conversation as (${insertConversation} and not exists (select from latest) returning id), ${insertBeginning}
  select (select 1 from conversation) as first, is_current, is_covered,
    (select json_build_object('id', id, 'lastSequence', last_sequence, 'operatorSequence', operator_sequence,
      'summary', summary, 'summaryThrough', summary_through) from latest) as elsewhere
  from terms`,
};

export function admissionStatement(newConversation: { isOnlyIfFirst?: boolean } | undefined): Statement {
  if (!newConversation) return admitToConversation;
  return newConversation.isOnlyIfFirst ? admitFirst : admitToNewConversation;
}

const replyParts = `with turn as (
    update turns set
      status = $5, steps = steps + 1, reply_ids = $6,
      retracted_ids = retracted_ids || reply_ids[:cardinality(reply_ids) - 1],
      ended_at = case when $5 in ('running', 'paused') then null else now() end
    where id = $1 and node_id = $2 and fence = $3 and steps = $4 and status = 'running'
    returning id, conversation_id, workspace_id, bot_id
  ), first as (
    select turn.*, append_events(conversation_id, id, $7, $8, json_array_length($9)) as sequence from turn
  ), written_messages as (
    insert into messages
      (id, workspace_id, conversation_id, turn_id, sequence, role, content, tool_calls, tool_call_id, citations, interrupted,
        failed, created_at)
    select m.id, first.workspace_id, first.conversation_id, first.id, first.sequence + m.event,
      m.role, m.content, m.tool_calls, m.tool_call_id, m.citations, m.interrupted, m.failed, m.created_at
    from first, json_to_recordset($9) as m (
      id uuid, event integer, role text, content text, tool_calls json, tool_call_id text, citations json,
      interrupted boolean, failed boolean, created_at timestamptz
    )
  ), written_usage as (
    insert into usage_records
      (id, workspace_id, conversation_id, turn_id, message_id, trace_step_id, bot_id, external_user_id, channel, model,
        input_tokens, cached_input_tokens, output_tokens, cost_usd)
    select u.id, turn.workspace_id, turn.conversation_id, turn.id, u.message_id, u.trace_step_id, turn.bot_id,
      c.external_user_id, c.channel, u.model, u.input, u.cached, u.output, u.cost
    from turn join conversations c on c.id = turn.conversation_id, json_to_recordset($10) as u (
      id uuid, message_id uuid, trace_step_id uuid, model text, input integer, cached integer, output integer, cost numeric
    )`;

const otherParts = `
  ), written_trace as (
    insert into trace_steps
      (id, workspace_id, conversation_id, turn_id, sequence, type, name, status, started_at, duration_ms, input, output, usage, error)
    select t.id, first.workspace_id, first.conversation_id, first.id, first.sequence,
      t.type, t.name, t.status, t.started_at, t.duration_ms, t.input, t.output, t.usage, t.error
    from first, json_to_recordset($11) as t (
      id uuid, type text, name text, status text, started_at timestamptz, duration_ms integer, input json, output json,
      usage json, error text
    )
  ), proposed_calls as (
    insert into tool_calls
      (id, workspace_id, conversation_id, turn_id, message_id, position, name, tool_type, tool_id, arguments,
        needs_approval, repeatable, in_order, has_effects, fault, status)
    select c.id, turn.workspace_id, turn.conversation_id, turn.id, c.message_id, c.position, c.name, c.tool_type, c.tool_id,
      c.arguments, c.needs_approval, c.repeatable, c.in_order, c.has_effects, c.fault, 'proposed'
    from turn, json_to_recordset($12) as c (
      id uuid, message_id uuid, position integer, name text, tool_type text, tool_id uuid, arguments json,
      needs_approval boolean, repeatable boolean, in_order boolean, has_effects boolean, fault text
    )
  ), changed_calls as (
    update tool_calls set
      status = c.status,
      executed_arguments = coalesce(c.executed_arguments, tool_calls.executed_arguments),
      started_at = case when c.status = 'started' then now() else tool_calls.started_at end
    from turn, json_to_recordset($13) as c (id uuid, status text, executed_arguments json)
    where tool_calls.id = c.id and tool_calls.turn_id = turn.id`;

const firstEvent = `
  )
  select sequence::int as first from first`;

/** 1 turn, 2 node, 3 fence, 4 step, 5 status, 6 reply ids, 7 events, 8 conversation status, 9 messages, 10 usage. */
export const writeReply: Statement = { name: 'turns.write_reply', text: replyParts + firstEvent };

/** The same, 11 trace, 12 calls that the model makes, 13 outcomes of calls. Parts with nothing to write would cost time too. */
export const writeStep: Statement = {
  name: 'turns.write_step',
  text: replyParts + otherParts + firstEvent,
};
