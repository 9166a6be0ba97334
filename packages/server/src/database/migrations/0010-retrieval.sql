-- What finds passages: their words, their vectors, and what is known about both in each workspace.

-- What a passage says, under its headings: one that did not change keeps its vectors.
alter table knowledge_chunks add column content_hash bytea not null default '';
create index knowledge_chunks_workspace on knowledge_chunks (workspace_id);

-- A term is a hash of the workspace and a word, so that a list of postings holds one workspace only.
create table knowledge_chunk_terms (
  chunk_id uuid primary key references knowledge_chunks on delete cascade,
  workspace_id uuid not null,
  knowledge_id uuid not null,
  -- its words, repeated ones included
  length integer not null,
  terms bigint[] not null,
  -- how often each of them is in it, in the same order
  frequencies smallint[] not null
);
create index knowledge_chunk_terms_terms on knowledge_chunk_terms using gin (terms) with (fastupdate = off);

create table knowledge_embeddings (
  chunk_id uuid not null references knowledge_chunks on delete cascade,
  -- provider/model
  model text not null,
  -- a model that reads little at once gives a passage several vectors
  part smallint not null,
  workspace_id uuid not null,
  knowledge_id uuid not null,
  -- of length one
  vector real[] not null,
  primary key (chunk_id, model, part)
);
-- Numbers like these do not compress: trying costs more than the rest of the write.
alter table knowledge_embeddings alter column vector set storage external;
create index knowledge_embeddings_workspace on knowledge_embeddings (workspace_id, model, chunk_id, part);

create table knowledge_statistics (
  workspace_id uuid primary key references workspaces on delete cascade,
  chunk_count bigint not null default 0,
  -- words of all chunks together
  length_total bigint not null default 0,
  -- raised by every change of what can be found: a copy in memory is compared by it
  revision bigint not null default 0,
  -- whose vectors answer; another model's are being made while it differs from the configured one
  embedding_model text
);

create table knowledge_terms (
  workspace_id uuid not null references workspaces on delete cascade,
  term bigint not null,
  -- in how many chunks it is
  chunk_count integer not null,
  primary key (workspace_id, term)
) with (fillfactor = 80);

-- The counts follow the rows by trigger, so that nothing that writes or cascades can forget them. The row of the
-- workspace comes first: whoever holds it is alone with its terms, and no two writers wait for each other.

create function count_added_terms() returns trigger language plpgsql as $$
begin
  insert into knowledge_statistics as known (workspace_id, chunk_count, length_total, revision)
    select workspace_id, count(*), sum(length), 1 from added group by workspace_id order by workspace_id
  on conflict (workspace_id) do update set
    chunk_count = known.chunk_count + excluded.chunk_count,
    length_total = known.length_total + excluded.length_total,
    revision = known.revision + 1;
  insert into knowledge_terms as known (workspace_id, term, chunk_count)
    select workspace_id, term, count(*) from added, unnest(terms) term group by workspace_id, term
  on conflict (workspace_id, term) do update set chunk_count = known.chunk_count + excluded.chunk_count;
  return null;
end $$;

create function count_removed_terms() returns trigger language plpgsql as $$
begin
  update knowledge_statistics known set
    chunk_count = known.chunk_count - gone.chunk_count,
    length_total = known.length_total - gone.length_total,
    revision = known.revision + 1
  from (select workspace_id, count(*) as chunk_count, sum(length) as length_total from removed group by workspace_id) gone
  where known.workspace_id = gone.workspace_id;
  update knowledge_terms known set chunk_count = known.chunk_count - gone.chunk_count
  from (select workspace_id, term, count(*) as chunk_count from removed, unnest(terms) term group by workspace_id, term) gone
  where known.workspace_id = gone.workspace_id and known.term = gone.term;
  delete from knowledge_terms known using (select distinct workspace_id, term from removed, unnest(terms) term) gone
  where known.workspace_id = gone.workspace_id and known.term = gone.term and known.chunk_count <= 0;
  return null;
end $$;

create trigger added after insert on knowledge_chunk_terms
  referencing new table as added for each statement execute function count_added_terms();
create trigger removed after delete on knowledge_chunk_terms
  referencing old table as removed for each statement execute function count_removed_terms();

create function raise_knowledge_revision() returns trigger language plpgsql as $$
begin
  update knowledge_statistics set revision = revision + 1
  where workspace_id in (select workspace_id from changed);
  return null;
end $$;

create trigger added after insert on knowledge_embeddings
  referencing new table as changed for each statement execute function raise_knowledge_revision();
create trigger updated after update on knowledge_embeddings
  referencing new table as changed for each statement execute function raise_knowledge_revision();
create trigger removed after delete on knowledge_embeddings
  referencing old table as changed for each statement execute function raise_knowledge_revision();

create function raise_knowledge_revision_of_source() returns trigger language plpgsql as $$
begin
  update knowledge_statistics set revision = revision + 1 where workspace_id = new.workspace_id;
  return null;
end $$;

-- Who may find a source is not cached: taken out, it is gone with the commit.
create trigger scope_changed after update on knowledge for each row
  when (old.status is distinct from new.status or old.bot_id is distinct from new.bot_id)
  execute function raise_knowledge_revision_of_source();

-- Embeddings are paid for outside a conversation, too.
alter table usage_records alter column conversation_id drop not null, alter column turn_id drop not null;
