-- A workspace's own limits. What is not named has the default; null lifts the limit.

alter table workspaces add column limits jsonb not null default '{}';

-- Lists are read page by page, in the order of time.
create index bots_by_age on bots (workspace_id, created_at, id);
create index tools_by_age on tools (workspace_id, created_at, id);
create index knowledge_by_age on knowledge (workspace_id, created_at, id);
drop index bots_workspace;
drop index tools_workspace;
