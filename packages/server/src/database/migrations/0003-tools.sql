-- Secrets of tools, and which tools a bot has.

create table tool_secrets (
  tool_id uuid not null references tools on delete cascade,
  field text not null,
  workspace_id uuid not null references workspaces on delete cascade,
  -- a key of its own for each secret, wrapped by the installation's: rotation wraps anew and decrypts nothing
  wrapped_key bytea not null,
  sealed bytea not null,
  updated_at timestamptz not null default now(),
  primary key (tool_id, field)
);

create table tool_assignments (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  position integer not null,
  tool_type text not null,
  tool_configuration_id uuid references tools on delete cascade,
  tool_instructions text not null default '',
  speak_during_execution boolean not null default false,
  speak_after_execution boolean not null default false,
  tool_error_handling_mode text not null default 'passthrough' check (tool_error_handling_mode in ('passthrough', 'hide'))
);
create index tool_assignments_bot on tool_assignments (bot_id, position);
