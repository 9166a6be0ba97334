-- While a conversation waits for a person, its bot does not answer; and the name of the person who does.

-- Ends a turn that was just written if its conversation waits for a person, and returns whether it does. Call it after
-- append_events has locked the conversation: the flag is then read as it is, not as it was when the statement began.
create function complete_if_handed_off(target uuid, turn uuid, completed json) returns boolean language plpgsql as $$
begin
  if not exists (select from conversations where id = target and handoff_requested_at is not null) then
    return false;
  end if;
  update turns set status = 'completed', reply_ids = '{}', ended_at = now() where id = turn;
  perform append_events(target, turn, completed, 'idle', 0);
  return true;
end
$$;

-- The person who wrote an operator's message; null for all other messages, and where no name was given.
alter table messages add column author_name text;

-- Deleting a conversation looks for its calls, and deleting a call for its approval.
create index tool_calls_conversation on tool_calls (conversation_id);
create index approvals_tool_call on approvals (tool_call_id);
