-- What bots answer from: sources, the files they came in, and the passages made of them.

create table knowledge (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- null: for every bot of the workspace
  bot_id uuid references bots on delete cascade,
  title text not null,
  -- given by the caller: what the source calls itself does not replace it
  has_own_title boolean not null default false,
  content_type text not null check (content_type in ('text', 'uploaded_file', 'url')),
  source_filename text,
  -- where it was found, after redirects
  source_url text,
  -- where a refresh begins
  requested_url text,
  -- the whole text, as it was given or extracted
  content text not null default '',
  metadata jsonb not null default '{}',
  processing_status text not null default 'pending'
    check (processing_status in ('pending', 'processing', 'completed', 'failed')),
  processing_progress real not null default 0,
  error text,
  status text not null default 'active' check (status in ('active', 'inactive')),
  -- raised by every request to process it: an older job changes nothing
  revision integer not null default 1,
  -- raised by every job that begins with it: one that was believed dead and goes on writes nothing
  fence integer not null default 0,
  -- begun since anything was last got done: a source that brings down whoever processes it must end some day
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index knowledge_workspace on knowledge (workspace_id, id desc);
create index knowledge_bot on knowledge (bot_id) where bot_id is not null;
-- whether a bot has any at all is asked with every turn
create index knowledge_active on knowledge (workspace_id, bot_id) where status = 'active';
create index knowledge_metadata on knowledge using gin (metadata jsonb_path_ops);

-- Uploads lie in the database: any node can process them, and they go with their source.
create table knowledge_files (
  knowledge_id uuid primary key references knowledge on delete cascade,
  bytes bytea not null
);

create table knowledge_chunks (
  id uuid primary key,
  workspace_id uuid not null,
  knowledge_id uuid not null references knowledge on delete cascade,
  position integer not null,
  -- the headings above it, outermost first
  heading_path text[] not null,
  content text not null,
  token_count integer not null,
  unique (knowledge_id, position)
);
