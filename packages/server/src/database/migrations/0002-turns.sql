-- Conversations, their turns, messages and event log; usage and money; traces.
--
-- What every turn writes refers to its conversation only, which goes with its bot, which goes with its workspace. A
-- reference to the workspace from each of these rows would lock that one row in every transaction of every turn.

create table conversations (
  id uuid primary key,
  workspace_id uuid not null,
  bot_id uuid not null references bots on delete cascade,
  channel text not null check (channel in ('chat', 'widget', 'agent', 'voice')),
  external_user_id text,
  title text not null,
  status text not null default 'idle' check (status in ('idle', 'running', 'paused')),
  metadata jsonb not null default '{}',
  message_count integer not null default 0,
  -- the id of the newest event; never goes back, so that no id is used twice
  last_sequence bigint not null default 0,
  -- what the turns up to and including this event came to, for models that can not read them all
  summary text,
  summary_through bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_message_at timestamptz
  -- room for the new versions that every message makes of a row
) with (fillfactor = 80);
create index conversations_workspace on conversations (workspace_id, id desc);
create index conversations_user on conversations (workspace_id, external_user_id, bot_id, id desc);
create index conversations_bot on conversations (workspace_id, bot_id, id desc);
create index conversations_metadata on conversations using gin (metadata jsonb_path_ops) where metadata <> '{}';

create table turns (
  id uuid primary key,
  workspace_id uuid not null,
  conversation_id uuid not null references conversations on delete cascade,
  bot_id uuid not null,
  status text not null check (status in ('running', 'paused', 'completed', 'interrupted', 'failed')),
  -- who advances it; null: handed over, free for anybody
  node_id uuid,
  -- raised by every change of hands: a write that carries an older number changes nothing
  fence integer not null default 1,
  -- the replies that were begun for the next step; all but the last were taken back by a crash
  reply_ids uuid[] not null default '{}',
  -- replies of earlier steps that were begun and taken back: who previewed one must be told, also later
  retracted_ids uuid[] not null default '{}',
  steps integer not null default 0,
  stop_requested_at timestamptz,
  stop_requested_by text,
  -- what the caller sent along
  options json not null default '{}',
  -- the workspace had a limited balance when the turn began: money is set aside before each step
  is_metered boolean not null default false,
  reserved_usd numeric(20, 9) not null default 0,
  started_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index turns_one_open on turns (conversation_id) where status in ('running', 'paused');
create index turns_running on turns (node_id, id) where status = 'running';
create index turns_conversation on turns (conversation_id);

create table messages (
  id uuid primary key,
  workspace_id uuid not null,
  conversation_id uuid not null references conversations on delete cascade,
  turn_id uuid not null,
  -- the event that announced it: the order of a conversation
  sequence bigint not null,
  role text not null check (role in ('user', 'assistant', 'tool', 'operator')),
  content text not null,
  tool_calls json not null default '[]',
  tool_call_id text,
  citations json not null default '[]',
  interrupted boolean not null default false,
  created_at timestamptz not null
);
create unique index messages_order on messages (conversation_id, sequence);

create table events (
  conversation_id uuid not null references conversations on delete cascade,
  sequence bigint not null,
  workspace_id uuid not null,
  turn_id uuid,
  type text not null,
  data json not null,
  created_at timestamptz not null default now(),
  primary key (conversation_id, sequence)
);

create table usage_records (
  id uuid primary key,
  workspace_id uuid not null,
  conversation_id uuid not null references conversations on delete cascade,
  turn_id uuid not null,
  model text not null,
  input_tokens integer not null,
  cached_input_tokens integer not null,
  output_tokens integer not null,
  cost_usd numeric(20, 9) not null,
  created_at timestamptz not null default now()
);
create index usage_records_conversation on usage_records (conversation_id);
create index usage_records_workspace on usage_records (workspace_id, created_at);

-- Only workspaces with a limited balance have one.
create table billing_accounts (
  workspace_id uuid primary key references workspaces on delete cascade,
  settled_usd numeric(20, 9) not null default 0,
  reserved_usd numeric(20, 9) not null default 0
);

create table trace_steps (
  id uuid primary key,
  workspace_id uuid not null,
  conversation_id uuid not null references conversations on delete cascade,
  turn_id uuid not null,
  -- the newest event when it was written, so that truncation takes it along
  sequence bigint not null,
  type text not null,
  name text not null,
  status text not null check (status in ('ok', 'error')),
  started_at timestamptz not null,
  duration_ms integer not null,
  input json,
  output json,
  usage json,
  error text
);
create index trace_steps_conversation on trace_steps (conversation_id, id);

-- The one way to write events: raises the conversation's counter and uses what it raised it by, in one transaction, so
-- that ids have no holes and are never used twice. Returns the id of the first event. `new_status` null: unchanged.
create function append_events(
  target uuid, turn uuid, new_events json, new_status text, new_messages integer
) returns bigint language plpgsql as $$
declare
  amount integer := json_array_length(new_events);
  newest bigint;
  owner uuid;
begin
  update conversations set
    last_sequence = last_sequence + amount,
    status = coalesce(new_status, status),
    message_count = message_count + new_messages,
    updated_at = now(),
    last_message_at = case when new_messages > 0 then now() else last_message_at end
  where id = target
  returning last_sequence, workspace_id into strict newest, owner;
  insert into events (conversation_id, sequence, workspace_id, turn_id, type, data)
  select target, newest - amount + entry.ordinality, owner, turn, entry.value ->> 'type', entry.value -> 'data'
  from json_array_elements(new_events) with ordinality as entry;
  return newest - amount + 1;
end
$$;
