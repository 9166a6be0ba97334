-- Texts that people of the team write again and again.
create table canned_replies (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  shortcut text not null,
  text text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (workspace_id, shortcut)
);
