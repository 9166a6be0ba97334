-- For what is assigned, still to do, resolved or snoozed. On their own, so that conversations can be read while they are built.
create index conversations_assigned on conversations (workspace_id, assignee_id, id desc) where assignee_id is not null;
create index conversations_to_do on conversations (workspace_id, assignee_id, id desc)
  where assignee_id is not null and resolved_at is null;
create index conversations_resolved on conversations (workspace_id, id desc) where resolved_at is not null;
create index conversations_snoozed on conversations (workspace_id, id desc) where snoozed_until is not null;
