-- The list of resolved approvals, newest first.
create index approvals_resolved on approvals (workspace_id, resolved_at desc, id desc) where status <> 'pending';
