-- Files that users send with their messages.
create table attachments (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- null until it is sent
  conversation_id uuid references conversations on delete cascade,
  -- null for an account key, which may send it for any user
  external_user_id text,
  name text not null,
  media_type text not null,
  size integer not null,
  -- null in a bucket
  bytes bytea,
  file_key text,
  -- of documents
  text text,
  created_at timestamptz not null default now()
);
create index attachments_conversation on attachments (conversation_id);
create index attachments_unsent on attachments (workspace_id, created_at) where conversation_id is null;
-- Images and PDFs are compressed already.
alter table attachments alter column bytes set storage external;
create trigger file_deleted after delete on attachments
  for each row when (old.file_key is not null) execute function delete_file_of_row();

-- Null instead of none: what messages say of the files that they were sent with.
alter table messages add column attachments json;

-- Visitors can send files.
alter table widget_customizations add column attachments_enabled boolean not null default false;
