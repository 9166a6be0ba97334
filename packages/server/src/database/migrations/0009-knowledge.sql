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

-- Whether a bot has any knowledge stands on its row: a turn of one that has none asks nobody. Kept here, and not by whoever
-- writes, because it must never be false by a race. Deferred: the locks are taken just before the commit.
alter table workspaces add column has_shared_knowledge boolean not null default false;
alter table bots add column has_knowledge boolean not null default false;

create function refresh_knowledge_reach() returns trigger language plpgsql as $$
declare
  source knowledge;
  was_shared boolean;
  is_shared boolean;
begin
  if tg_op = 'DELETE' then source := old; else source := new; end if;
  if source.bot_id is not null then
    -- Whoever changes the same bot waits here, and what he wrote is seen by the next statement.
    perform from bots where id = source.bot_id for no key update;
    update bots set has_knowledge = not has_knowledge
    where id = source.bot_id and has_knowledge is distinct from exists (
      select from knowledge k where k.workspace_id = source.workspace_id and k.status = 'active'
        and (k.bot_id = source.bot_id or k.bot_id is null));
    return null;
  end if;
  select has_shared_knowledge into was_shared from workspaces where id = source.workspace_id for no key update;
  is_shared := exists (
    select from knowledge k where k.workspace_id = source.workspace_id and k.status = 'active' and k.bot_id is null);
  if is_shared is distinct from was_shared then
    update workspaces set has_shared_knowledge = is_shared where id = source.workspace_id;
    perform from bots where workspace_id = source.workspace_id order by id for no key update;
    update bots set has_knowledge = not has_knowledge
    where workspace_id = source.workspace_id and has_knowledge is distinct from (is_shared or exists (
      select from knowledge k where k.workspace_id = source.workspace_id and k.status = 'active' and k.bot_id = bots.id));
  end if;
  return null;
end $$;

create constraint trigger reach_changed after insert or update of status or delete on knowledge
  deferrable initially deferred for each row execute function refresh_knowledge_reach();

create function share_knowledge_with_new_bot() returns trigger language plpgsql as $$
begin
  -- Held until the bot is there for all: a first source for all bots comes before it or finds it.
  select has_shared_knowledge into strict new.has_knowledge
  from workspaces where id = new.workspace_id for share;
  return new;
end $$;

create trigger shared_knowledge before insert on bots for each row execute function share_knowledge_with_new_bot();
