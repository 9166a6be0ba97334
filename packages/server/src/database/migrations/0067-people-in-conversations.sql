-- A note names members of the workspace who should read it, and the conversation those of them who have not opened it since. Null
-- until somebody is mentioned.
alter table conversation_notes add column mentions uuid[];
alter table conversations add column unread_mentions uuid[];

-- Whether what begins to wait for a person is assigned to those who are there, one after the other.
create table inbox_settings (
  workspace_id uuid primary key references workspaces on delete cascade,
  assigns_in_turn boolean not null
);

-- When the console of a member was last in use, and when a conversation was last assigned to them in turn. Written only in workspaces
-- that assign in turn.
create table operator_activity (
  workspace_id uuid not null,
  user_id uuid not null,
  active_at timestamptz not null,
  assigned_at timestamptz,
  primary key (workspace_id, user_id),
  foreign key (workspace_id, user_id) references members on delete cascade
);
