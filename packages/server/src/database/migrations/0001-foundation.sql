-- Workspaces, account keys, nodes, idempotency records, bots, tools and post-call hooks.

create table workspaces (
  id uuid primary key,
  name text not null,
  is_default boolean not null default false,
  -- null: no limit
  max_bots integer check (max_bots >= 0),
  -- null: no limit; otherwise everything ever granted, spending is counted apart
  credit_usd numeric(20, 9) check (credit_usd >= 0),
  -- what the environment asked for at the last start, so that only a change of it is applied
  configured_max_bots integer,
  configured_credit_usd numeric(20, 9),
  created_at timestamptz not null default now()
);
create unique index workspaces_one_default on workspaces (is_default) where is_default;

create table account_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  hash bytea not null unique,
  -- the last four characters, so that a person can tell keys apart
  hint text not null,
  -- {all} includes abilities that are added later
  abilities text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index account_keys_workspace on account_keys (workspace_id);

-- Every running process: what a node that is no longer seen left open is free for others.
create table nodes (
  id uuid primary key,
  seen_at timestamptz not null default now(),
  started_at timestamptz not null default now()
);

create table idempotency_records (
  workspace_id uuid not null references workspaces on delete cascade,
  key text not null,
  request_hash bytea not null,
  node_id uuid not null,
  -- null while the first request is still running
  answer bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (workspace_id, key)
);
create index idempotency_records_expiry on idempotency_records (expires_at);

create table bots (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  description text not null default '',
  system_prompt text not null,
  -- json, not jsonb: what the author wrote comes back in the author's order
  prompt_builder json,
  settings jsonb not null default '{}',
  status text not null default 'active' check (status in ('active', 'inactive')),
  bot_type text not null default 'chatbot' check (bot_type in ('chatbot', 'agent')),
  schedule text,
  next_run_at timestamptz,
  last_run_at timestamptz,
  agent_goal text,
  output_config json,
  max_iterations integer not null default 25,
  timeout_seconds integer,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index bots_workspace on bots (workspace_id, created_at);
create index bots_metadata on bots using gin (metadata jsonb_path_ops);
create index bots_due on bots (next_run_at) where next_run_at is not null;

create table tools (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  tool_type text not null,
  name text not null,
  description text not null default '',
  preset_id text,
  is_default boolean not null default false,
  is_active boolean not null default true,
  created_by uuid,
  configuration jsonb not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index tools_workspace on tools (workspace_id, created_at);
create index tools_metadata on tools using gin (metadata jsonb_path_ops);

create table post_call_hooks (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  tool_configuration_id uuid not null references tools on delete cascade,
  run_order integer not null default 0,
  enabled boolean not null default true,
  params_template json not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint post_call_hooks_one_per_tool unique (bot_id, tool_configuration_id)
);
