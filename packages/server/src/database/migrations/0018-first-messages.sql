-- The first message of a new user takes one statement, even if several come at once.

-- The chat that a user had last with a bot, after waiting for whoever is just beginning one. The function is volatile:
-- what it reads after the lock is what others have committed by then, not what the calling statement saw when it began.
create function latest_chat(of_workspace uuid, of_bot uuid, of_user text)
returns table (id uuid, last_sequence bigint, operator_sequence bigint, summary text, summary_through bigint)
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(of_workspace || ' ' || of_bot || ' ' || of_user, 0));
  return query
    select newest.id, newest.last_sequence, newest.operator_sequence, newest.summary, newest.summary_through
    from (
      select c.* from conversations c
      where c.workspace_id = of_workspace and c.external_user_id = of_user and c.bot_id = of_bot and c.channel = 'chat'
      -- as many as conversations/store.ts looks through
      order by c.id desc limit 50
    ) as newest
    order by newest.last_message_at desc nulls last limit 1;
end
$$;

-- Ids grow: in ascending order a new conversation comes last, and pages are filled one after the other. In descending order
-- it came first, and pages were split in the middle. Lists that begin with the newest read the same index backwards.
drop index conversations_workspace;
create index conversations_workspace on conversations (workspace_id, id);
drop index conversations_bot;
create index conversations_bot on conversations (workspace_id, bot_id, id);
-- The last of the three: while PostgreSQL knows nothing of the rows yet, all seem equally good to it, and it takes the newest. With any
-- other, each new user would have all conversations of the bot looked through.
drop index conversations_user;
create index conversations_user on conversations (workspace_id, external_user_id, bot_id, id);
