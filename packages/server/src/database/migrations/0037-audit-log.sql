-- Who changed what, with the fields before and after. Written in the transaction of the change.
create table audit_entries (
  -- ordered by time
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  created_at timestamptz not null default now(),
  actor_type text not null,
  actor_id uuid,
  actor_name text,
  action text not null,
  object_type text not null,
  object_id text,
  object_name text,
  -- a list of { field, before, after }
  changes json not null default '[]'
);
create index audit_entries_workspace on audit_entries (workspace_id, id desc);
create index audit_entries_actor on audit_entries (workspace_id, actor_id, id desc) where actor_id is not null;
create index audit_entries_object on audit_entries (workspace_id, object_id, id desc) where object_id is not null;
create index audit_entries_action on audit_entries (workspace_id, action, id desc);
create index audit_entries_kind on audit_entries (workspace_id, object_type, id desc);
create index audit_entries_age on audit_entries (created_at);

-- Copied from the conversation, which may be deleted; null outside conversations.
alter table usage_records add column channel text;
update usage_records u set channel = c.channel from conversations c where c.id = u.conversation_id;

-- Which release a node runs.
alter table nodes add column release text;

-- Replies of all bots, newest first: all, withheld, and with unsupported claims.
create index quality_records_workspace on quality_records (workspace_id, id desc);
create index quality_records_refused on quality_records (workspace_id, id desc) where refused;
create index quality_records_unsupported on quality_records (workspace_id, id desc) where verdict = 'unsupported';
