-- Calls that models make, and people's say on them.

create table tool_calls (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  conversation_id uuid not null references conversations on delete cascade,
  turn_id uuid not null references turns on delete cascade,
  -- the message that proposed it; it goes when that goes
  message_id uuid not null references messages on delete cascade,
  position integer not null,
  name text not null,
  tool_type text not null,
  tool_id uuid,
  arguments json not null,
  -- what really ran, when a person changed it
  executed_arguments json,
  needs_approval boolean not null,
  -- may run again after a crash
  repeatable boolean not null,
  -- why it can not run at all: an unknown name, arguments that do not fit
  fault text,
  status text not null check (status in ('proposed', 'started', 'ok', 'error', 'denied', 'unknown')),
  started_at timestamptz
);
create index tool_calls_turn on tool_calls (turn_id, position);
create index tool_calls_message on tool_calls (message_id);

create table approvals (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  conversation_id uuid not null references conversations on delete cascade,
  turn_id uuid not null references turns on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  tool_call_id uuid not null references tool_calls on delete cascade,
  tool_type text not null,
  tool_name text not null,
  arguments json not null,
  arguments_schema json not null,
  context json not null,
  status text not null default 'pending'
    check (status in ('pending', 'approved', 'approved_edited', 'denied', 'cancelled', 'expired')),
  edited_arguments json,
  reason text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  resolved_at timestamptz,
  resolved_by text
);
create index approvals_pending on approvals (workspace_id, id) where status = 'pending';
create index approvals_expiring on approvals (expires_at) where status = 'pending';
create index approvals_turn on approvals (turn_id);
create index approvals_conversation on approvals (conversation_id);

-- A bot without tools is not asked for them at every turn. Raised and lowered where assignments are replaced.
alter table bots add column tool_count integer not null default 0;
update bots set tool_count = (select count(*) from tool_assignments where bot_id = bots.id);
