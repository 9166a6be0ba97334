-- Machines that people have paired, whose daemons carry out operations for coding tools.

create table machines (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  hash bytea not null unique,
  -- the last four characters of the key, so that a person can tell keys apart
  hint text not null,
  created_by uuid,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  -- as reported by the daemon that connected last; null before the first
  platform text,
  version text,
  roots text[] not null default '{}',
  sandbox text check (sandbox in ('bubblewrap', 'none')),
  instance_id uuid,
  -- no reference: the node that has the connection, even if it is gone; null while no daemon is connected
  node_id uuid,
  connection_id uuid,
  connected_at timestamptz,
  last_seen_at timestamptz
);
create index machines_workspace on machines (workspace_id, created_at, id);
create index machines_node on machines (node_id) where node_id is not null;

-- Which machine an operation with effects was sent to, so that it can be cancelled or reverted there.
create table machine_calls (
  -- of the operation, which is that of its tool call
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  conversation_id uuid not null references conversations on delete cascade,
  machine_id uuid not null references machines on delete cascade,
  -- of the daemon that it was first sent to: no other one may carry it out
  instance_id uuid not null,
  name text not null,
  created_at timestamptz not null default now()
);
create index machine_calls_conversation on machine_calls (conversation_id, id);
create index machine_calls_machine on machine_calls (machine_id);

-- What nodes send each other about operations. Not logged: after a crash of PostgreSQL the sender sends it again.
create unlogged table machine_messages (
  id bigint generated always as identity primary key,
  -- no reference: the node may be gone
  to_node uuid not null,
  payload json not null,
  created_at timestamptz not null default now()
);
create index machine_messages_node on machine_messages (to_node, id);

-- Whether one of its tools works on a machine, so that turns of other bots need not find out.
alter table bots add column uses_machine boolean not null default false;

-- What an approved operation is compared with when it runs, as its tool type noted it.
alter table approvals add column basis json;
