-- A machine belongs to whoever paired it, and they decide who may use it.

-- Whom a caller acts for: the member; for a key, the member who made it, directly or by other keys; for a key that the
-- operator of the installation made, that key. Null if the key no longer works or the person is not a member.
create function holder_of(workspace uuid, caller uuid) returns uuid language sql stable as $$
  with recursive chain as (
    select account_keys.id, account_keys.created_by, 1 as length
    from account_keys
    where account_keys.workspace_id = $1 and account_keys.id = $2 and account_keys.revoked_at is null
      and (account_keys.expires_at is null or account_keys.expires_at > now())
    union all
    select account_keys.id, account_keys.created_by, chain.length + 1
    from chain join account_keys on account_keys.workspace_id = $1 and account_keys.id = chain.created_by
    where chain.length < 100
  ),
  oldest as (select chain.id, chain.created_by from chain order by chain.length desc limit 1)
  select coalesce(
    (select members.user_id from members
     where members.workspace_id = $1
       and members.user_id = coalesce((select oldest.created_by from oldest), $2)),
    (select oldest.id from oldest where oldest.created_by is null)
  )
$$;

alter table machines
  -- of a member, or of a key that no member made
  add column owner_id uuid,
  add column allowed_members uuid[] not null default '{}',
  add column allowed_bots uuid[] not null default '{}',
  -- as reported by the daemon that connected last; null before the first, and for daemons that do not report it
  add column policy text check (policy in ('read-only', 'ask', 'allow-listed')),
  add column confirmation text check (confirmation in ('terminal', 'service')),
  add column runs_commands boolean;

-- Machines that were paired before keep working for those who set them up.
update machines set
  owner_id = coalesce(
    holder_of(machines.workspace_id, machines.created_by),
    (select members.user_id from members
     where members.workspace_id = machines.workspace_id and members.role = 'owner'
     order by members.created_at, members.user_id limit 1)
  ),
  allowed_bots = array(
    select distinct tool_assignments.bot_id
    from tool_assignments join tools on tools.id = tool_assignments.tool_configuration_id
    where tool_assignments.workspace_id = machines.workspace_id and tools.tool_type = 'coding'
      and lower(tools.configuration ->> 'machine_id') = machines.id::text
  );
