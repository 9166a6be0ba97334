-- Which bot answers which number, and which number a bot calls from.
create table voice_numbers (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- of the installation's one telephone account: unique across workspaces
  phone_number text not null constraint voice_numbers_one_per_phone unique,
  bot_id uuid not null references bots on delete cascade,
  greeting text,
  tts_voice text,
  metadata jsonb not null default '{}',
  outbound_capable boolean not null,
  is_outbound_primary boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index voice_numbers_workspace on voice_numbers (workspace_id, created_at, id);
create index voice_numbers_metadata on voice_numbers using gin (metadata jsonb_path_ops);
create unique index voice_numbers_one_primary on voice_numbers (bot_id) where is_outbound_primary;

-- Calls by telephone or from a browser: each has a conversation of its own.
create table voice_calls (
  -- that of its conversation
  id uuid primary key references conversations on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  direction text not null check (direction in ('inbound', 'outbound', 'web')),
  transport text not null check (transport in ('twilio', 'sip', 'web')),
  -- of the telephone network
  network_id text,
  from_number text,
  to_number text,
  status text not null check (status in
    ('queued', 'ringing', 'in_progress', 'completed', 'no_answer', 'busy', 'failed', 'ended_by_limit')),
  end_reason text,
  -- for the operator
  end_detail text,
  -- places the call or holds its line; null until a node does
  node_id uuid,
  -- as of the start: what is changed later does not concern a call under way
  greeting text,
  tts_voice text,
  max_seconds integer not null,
  -- of a call from a browser
  session_token_hash bytea,
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  ended_at timestamptz,
  -- whatever happens, it is over by then
  deadline_at timestamptz not null,
  -- of telephone and speech while it lasts, by what was used; it becomes usage records when the call ends
  used json not null default '{}',
  cost_usd numeric(20, 9) not null default 0,
  summary text
);
create index voice_calls_workspace on voice_calls (workspace_id, id desc);
create index voice_calls_open on voice_calls (deadline_at) where ended_at is null;
create unique index voice_calls_network on voice_calls (transport, network_id) where network_id is not null;
create unique index voice_calls_session on voice_calls (session_token_hash) where session_token_hash is not null;

-- How long the parts of each answer took, in milliseconds; null where a part did not happen.
create table voice_call_turns (
  turn_id uuid primary key references turns on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  call_id uuid not null references voice_calls on delete cascade,
  end_of_turn_ms integer,
  text_ms integer,
  model_ms integer,
  speech_ms integer,
  interrupted boolean not null default false
);
create index voice_call_turns_call on voice_call_turns (call_id, turn_id);

-- The hooks of a call as they were when it ended, and what became of them.
create table voice_call_hooks (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  call_id uuid not null references voice_calls on delete cascade,
  -- no reference: the outcome stays when the hook is removed
  hook_id uuid not null,
  tool_configuration_id uuid not null,
  tool_name text not null,
  tool_type text not null,
  params_template json not null,
  position integer not null,
  status text not null default 'pending' check (status in ('pending', 'started', 'ok', 'error', 'unknown')),
  result json,
  error text,
  started_at timestamptz,
  ended_at timestamptz,
  unique (call_id, hook_id)
);
