-- A message can be answered again or written again. What followed before is not lost: it is put aside with its branch, and can be
-- chosen again.
create table conversation_branches (
  id uuid primary key,
  workspace_id uuid not null,
  conversation_id uuid not null references conversations on delete cascade,
  -- the message that all branches of one place follow; null: they begin the conversation
  after_message_id uuid references messages on delete cascade,
  -- the user's message that this one begins with
  first_message_id uuid not null references messages on delete cascade,
  -- whether it is the one in force at its place
  is_current boolean not null,
  created_at timestamptz not null
);
create index conversation_branches_conversation on conversation_branches (conversation_id, id);
-- Looked up whenever a message is deleted.
create index conversation_branches_after on conversation_branches (after_message_id);
create index conversation_branches_first on conversation_branches (first_message_id);

-- Null: the message is in force.
alter table messages add column branch_id uuid;

-- What a foreign key would do, which would make all messages wait until every older one has been checked.
create function remove_put_aside() returns trigger language plpgsql as $$
begin
  delete from messages where branch_id = old.id;
  return null;
end
$$;
create trigger branch_removed after delete on conversation_branches for each row execute function remove_put_aside();
