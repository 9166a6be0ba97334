-- Counts the changes of what a tool does, so that what was allowed for it ends with such a change.
alter table tools add column revision integer not null default 1;

-- What people allowed together with a call of a tool: all its calls by one bot.
create table tool_grants (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  tool_id uuid not null references tools on delete cascade,
  revision integer not null,
  -- the name of the function as the model sees it, and the hash of what it takes
  tool_name text not null,
  offer text not null,
  -- who gave it: a member or a key
  member_id uuid,
  key_id uuid references account_keys on delete cascade,
  -- null: until it is revoked
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  foreign key (workspace_id, member_id) references members (workspace_id, user_id) on delete cascade,
  check ((member_id is null) <> (key_id is null))
);
create index tool_grants_bot on tool_grants (workspace_id, bot_id, tool_id);
create index tool_grants_tool on tool_grants (tool_id);
create index tool_grants_member on tool_grants (workspace_id, member_id);
create index tool_grants_key on tool_grants (key_id);
