-- All locks before the indexes are built: if one of them is not free, nothing was built in vain while requests wait.
lock table workspaces, conversations in share row exclusive mode;
lock table events, trace_steps, call_recordings in share mode;
lock table audit_entries in access exclusive mode;

-- How long a workspace keeps what happens in it, and how far the deletion of what is older has come.
create table retention_settings (
  workspace_id uuid primary key references workspaces on delete cascade,
  -- null: kept for ever; recordings are never kept longer than their bot says
  conversations_days integer check (conversations_days between 1 and 3650),
  traces_days integer check (traces_days between 1 and 3650),
  events_days integer check (events_days between 1 and 3650),
  recordings_days integer check (recordings_days between 1 and 3650),
  audit_days integer default 400 check (audit_days between 30 and 3650),
  -- when the next batch may be deleted; the workspace that waited longest is first
  due_at timestamptz not null,
  -- the round in progress: when it began, where it is, what it has deleted; null between rounds
  round json,
  -- the last one that is over
  last_round json
);
create index retention_settings_due on retention_settings (due_at);

-- What must not be deleted: of a person, of a conversation, or of the whole workspace.
create table legal_holds (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  external_user_id text,
  -- PostgreSQL itself refuses to delete it, also to a node of the previous release
  conversation_id uuid references conversations on delete restrict,
  reason text not null,
  -- who placed it
  actor_type text not null,
  actor_id uuid,
  actor_name text,
  created_at timestamptz not null,
  check (external_user_id is null or conversation_id is null)
);
create index legal_holds_workspace on legal_holds (workspace_id, id);
create index legal_holds_user on legal_holds (workspace_id, external_user_id) where external_user_id is not null;
create index legal_holds_conversation on legal_holds (conversation_id) where conversation_id is not null;

-- What a workspace has, oldest first. None of the columns changes, so that updates of these rows need not maintain them.
create index conversations_age on conversations (workspace_id, created_at);
create index events_age on events (workspace_id, created_at);
create index trace_steps_age on trace_steps (workspace_id, started_at);
create index call_recordings_age on call_recordings (workspace_id, created_at);
create index audit_entries_workspace_age on audit_entries (workspace_id, created_at);
-- Of the sweep that retention replaces. The planner would prefer it now and then, and read the entries of other workspaces.
drop index audit_entries_age;
