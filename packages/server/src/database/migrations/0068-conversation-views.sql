-- Filters that a team needs again and again, by name.
create table conversation_views (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  -- as the API names the filters
  filter json not null,
  created_at timestamptz not null,
  unique (workspace_id, name)
);
