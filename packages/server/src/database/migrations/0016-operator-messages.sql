-- People who take over: the queue of those who wait for one, and what people write in conversations.

-- The queue is paged like every list of conversations, newest first by id.
create index conversations_needs_human on conversations (workspace_id, id desc)
  where handoff_requested_at is not null;
drop index conversations_handoff;

-- The event of the newest message that a person wrote; 0: none. A node that remembers a conversation knows by it whether
-- somebody wrote while its turn ran.
alter table conversations add column operator_sequence bigint not null default 0;

-- A person's message belongs to no turn.
alter table messages alter column turn_id drop not null;
