-- What a channel is, and which there are, is defined in one place: packages/contract/src/channels.ts.
alter table conversations drop constraint conversations_channel_check;

-- The same look-up for every channel. The default is for nodes of the version before, which name none.
drop function latest_chat(uuid, uuid, text);
create function latest_chat(of_workspace uuid, of_bot uuid, of_user text, of_channel text default 'chat')
returns table (id uuid, last_sequence bigint, operator_sequence bigint, summary text, summary_through bigint)
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(of_workspace || ' ' || of_bot || ' ' || of_user, 0));
  return query
    select newest.id, newest.last_sequence, newest.operator_sequence, newest.summary, newest.summary_through
    from (
      select c.* from conversations c
      where c.workspace_id = of_workspace and c.external_user_id = of_user and c.bot_id = of_bot
        and c.channel = of_channel
      -- as many as conversations/store.ts looks through
      order by c.id desc limit 50
    ) as newest
    order by newest.last_message_at desc nulls last limit 1;
end
$$;

-- A turn of an evaluation finds its case by its conversation.
create index evaluation_cases_conversation on evaluation_cases (conversation_id);
