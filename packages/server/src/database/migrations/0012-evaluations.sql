-- Regression tests of bots: scenarios, and what came of running them.

create table evaluation_scenarios (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  name text not null,
  -- json, not jsonb: what the author wrote comes back in the author's order
  turns json not null,
  expected_facts json not null,
  must_call json not null,
  must_not_call json not null,
  stand_ins json not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index evaluation_scenarios_bot on evaluation_scenarios (bot_id, id);

create table evaluations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  -- of the bot's configuration; its turns are bound to it
  version integer not null,
  status text not null check (status in ('running', 'completed', 'failed', 'stopped')),
  -- who drives it; null: free for anybody
  node_id uuid,
  error json,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index evaluations_one_running on evaluations (bot_id) where status = 'running';
create index evaluations_bot on evaluations (bot_id, id desc);

create table evaluation_cases (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  evaluation_id uuid not null references evaluations on delete cascade,
  -- no reference: what came of a scenario outlives it
  scenario_id uuid not null,
  position integer not null,
  -- as it was when the evaluation began
  scenario json not null,
  status text not null check (status in ('pending', 'running', 'passed', 'failed', 'error', 'skipped')),
  conversation_id uuid references conversations on delete set null,
  -- one for each of the scenario's turns that was begun, written with the turn
  turn_ids uuid[] not null default '{}',
  facts json not null default '[]',
  reasons json not null default '[]',
  started_at timestamptz,
  ended_at timestamptz
);
create unique index evaluation_cases_order on evaluation_cases (evaluation_id, position);
create index evaluation_cases_scenario on evaluation_cases (scenario_id);

alter table conversations
  drop constraint conversations_channel_check,
  add constraint conversations_channel_check check (channel in ('chat', 'widget', 'agent', 'voice', 'evaluation'));
