-- Objects in the bucket that are to be deleted: those whose row was deleted, and those that are being written and have no row
-- yet. A workspace may be gone before its objects are, so nothing refers to it.
create table file_deletions (
  key text primary key,
  workspace_id uuid not null,
  due_at timestamptz not null,
  -- how often it was tried; from the first time on no row may name the object
  attempts integer not null default 0,
  -- a workspace cannot have the objects of another deleted
  check (starts_with(key, workspace_id::text || '/'))
);
create index file_deletions_due on file_deletions (due_at);

-- Null for what is in knowledge_files or call_recording_parts.
alter table knowledge add column file_key text;
alter table call_recordings add column file_key text;

-- Whatever deletes the row, cascades included, has its object deleted.
create function delete_file_of_row() returns trigger language plpgsql as $$
begin
  insert into file_deletions (key, workspace_id, due_at) values (old.file_key, old.workspace_id, now())
  on conflict (key) do update set due_at = excluded.due_at;
  return null;
end $$;
create trigger file_deleted after delete on knowledge
  for each row when (old.file_key is not null) execute function delete_file_of_row();
create trigger file_deleted after delete on call_recordings
  for each row when (old.file_key is not null) execute function delete_file_of_row();
