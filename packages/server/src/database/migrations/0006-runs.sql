-- Runs of agents: a run is a turn with a goal, a deadline and an end of its own.

create table runs (
  -- put on record before its turn, so that an agent which is busy leaves nothing behind
  turn_id uuid primary key references turns on delete cascade deferrable initially deferred,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  conversation_id uuid not null references conversations on delete cascade deferrable initially deferred,
  trigger text not null check (trigger in ('api', 'schedule', 'console')),
  goal text not null,
  payload text,
  max_iterations integer not null check (max_iterations > 0),
  iterations integer not null default 0,
  status text not null default 'running' check (status in
    ('running', 'paused', 'completed', 'failed', 'timed_out', 'interrupted', 'max_iterations_reached')),
  -- as of the start: what the agent is set to later does not concern a run under way
  output_config json,
  -- as text, also where it is JSON
  final_output text,
  error json,
  started_at timestamptz not null,
  deadline_at timestamptz not null,
  ended_at timestamptz,
  -- null: there is nobody to tell
  webhook_status text check (webhook_status in ('pending', 'delivered', 'failed')),
  webhook_attempts integer not null default 0,
  webhook_error text
);
-- One run at a time, whoever asks and wherever.
create unique index runs_one_open on runs (bot_id) where status in ('running', 'paused');
create index runs_overdue on runs (deadline_at) where status in ('running', 'paused');
create index runs_conversation on runs (conversation_id, turn_id desc);
