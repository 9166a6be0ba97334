-- A conversation that waits for a person.

alter table conversations
  add column handoff_requested_at timestamptz,
  add column handoff_reason text;

create index conversations_handoff on conversations (workspace_id, handoff_requested_at)
  where handoff_requested_at is not null;
