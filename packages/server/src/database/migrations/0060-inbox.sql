-- People of the team share the work on conversations: whose one is, whether it is done or put off, how it is sorted, and what only
-- the team reads of it.

-- All null until somebody uses them, so that they cost a conversation nothing.
alter table conversations
  add column assignee_id uuid,
  add column resolved_at timestamptz,
  add column snoozed_until timestamptz,
  add column labels text[];

-- Lines between the messages that only the team sees: what somebody wrote for the others, and what was done with the conversation.
create table conversation_notes (
  id uuid primary key,
  workspace_id uuid not null,
  conversation_id uuid not null references conversations on delete cascade,
  kind text not null check (kind in
    ('written', 'handed_off', 'taken_over', 'handed_back', 'assigned', 'snoozed', 'resolved', 'reopened')),
  -- null: the bot, or a program with a key
  author_id uuid,
  author_name text,
  text text,
  created_at timestamptz not null
);
create index conversation_notes_conversation on conversation_notes (conversation_id, id);

-- Called for each message of a user once append_events has locked the conversation: ends its turn if the conversation waits for a
-- person, and returns whether it does. One that was resolved or snoozed is open again, and nobody's if its member has left since.
create or replace function complete_if_handed_off(target uuid, turn uuid, completed json) returns boolean language plpgsql as $$
declare
  waits boolean;
  was_put_away boolean;
begin
  select handoff_requested_at is not null, coalesce(resolved_at, snoozed_until) is not null
    into waits, was_put_away from conversations where id = target;
  if was_put_away then
    update conversations c set resolved_at = null, snoozed_until = null, assignee_id = (
      select m.user_id from members m
      where m.workspace_id = c.workspace_id and m.user_id = c.assignee_id and m.role in ('operator', 'owner')
    ) where id = target;
  end if;
  if not waits then
    return false;
  end if;
  update turns set status = 'completed', reply_ids = '{}', ended_at = now() where id = turn;
  perform append_events(target, turn, completed, 'idle', 0);
  return true;
end
$$;

-- Whoever leaves the workspace, or may not write any more, leaves what they had to do to the others. What is resolved can be much,
-- and is looked at when it is opened again.
create function unassign_member() returns trigger language plpgsql as $$
begin
  update conversations set assignee_id = null
  where workspace_id = old.workspace_id and assignee_id = old.user_id and resolved_at is null;
  return null;
end
$$;
create trigger member_left after delete on members for each row execute function unassign_member();
create trigger member_only_reads after update of role on members for each row when (new.role = 'viewer')
  execute function unassign_member();
