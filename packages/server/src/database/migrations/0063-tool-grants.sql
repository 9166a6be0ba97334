-- Counts the changes of what a tool does, so that what was allowed for it ends with such a change, whichever release makes it.
alter table tools add column revision integer not null default 1;

create function count_tool_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;
create trigger tool_revision before update of configuration, is_active on tools for each row
  when (old.configuration is distinct from new.configuration or (old.is_active and not new.is_active))
  execute function count_tool_revision();

-- Another secret may be another account. A change of the encryption key leaves `sealed` as it is.
create function count_secret_revision() returns trigger language plpgsql as $$
begin
  update tools set revision = revision + 1 where id = coalesce(new.tool_id, old.tool_id);
  return null;
end $$;
create trigger secret_revision after insert or delete on tool_secrets for each row
  execute function count_secret_revision();
create trigger changed_secret_revision after update of sealed on tool_secrets for each row
  when (old.sealed is distinct from new.sealed) execute function count_secret_revision();

-- What people allowed together with a call of a tool: all its calls by one bot.
create table tool_grants (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  tool_id uuid not null references tools on delete cascade,
  revision integer not null,
  -- the name of the function as the model sees it, and the hash of what it takes
  tool_name text not null,
  offer text not null,
  -- who gave it: a member or a key
  member_id uuid,
  key_id uuid references account_keys on delete cascade,
  -- null: until it is revoked
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  foreign key (workspace_id, member_id) references members (workspace_id, user_id) on delete cascade,
  check ((member_id is null) <> (key_id is null))
);
create index tool_grants_bot on tool_grants (workspace_id, bot_id, tool_id);
create index tool_grants_tool on tool_grants (tool_id);
create index tool_grants_member on tool_grants (workspace_id, member_id);
create index tool_grants_key on tool_grants (key_id);

-- A bot that loses a tool does not get what was allowed for it back with the tool. At the commit, because all of a bot's tools are
-- written at once.
create function end_grants_of_unassigned_tool() returns trigger language plpgsql as $$
begin
  delete from tool_grants g where g.bot_id = old.bot_id and g.tool_id = old.tool_configuration_id and not exists (
    select from tool_assignments a where a.bot_id = old.bot_id and a.tool_configuration_id = old.tool_configuration_id);
  return null;
end $$;
create constraint trigger tool_unassigned after delete or update of tool_configuration_id on tool_assignments
  deferrable initially deferred for each row execute function end_grants_of_unassigned_tool();

-- What can be allowed together with the call. On its own, because the previous release reads what can be allowed on machines.
alter table approvals add column tool_grantable json;
