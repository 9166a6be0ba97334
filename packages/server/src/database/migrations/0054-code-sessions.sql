-- Where coding tools work in a conversation, as its messages last said.
alter table conversations add column code_session json;

-- What people allowed together with a call, so that they are not asked about the next one. It ends with the conversation that it was
-- given in, with the machine, and when the member who gave it leaves.
create table approval_grants (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  conversation_id uuid not null references conversations on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  machine_id uuid not null references machines on delete cascade,
  scope text not null check (scope in ('conversation', 'machine')),
  kind text not null check (kind in ('edits', 'command')),
  directory text not null,
  command text check ((command is not null) = (kind = 'command')),
  -- the member or key that the turn acted for; null if neither was known
  acts_for uuid,
  -- who gave it: a member or a key
  member_id uuid,
  key_id uuid references account_keys on delete cascade,
  created_at timestamptz not null default now(),
  foreign key (workspace_id, member_id) references members (workspace_id, user_id) on delete cascade,
  check ((member_id is null) <> (key_id is null))
);
create index approval_grants_bot on approval_grants (workspace_id, bot_id, machine_id);
create index approval_grants_conversation on approval_grants (conversation_id);
create index approval_grants_machine on approval_grants (machine_id);
create index approval_grants_member on approval_grants (workspace_id, member_id);
create index approval_grants_key on approval_grants (key_id);

alter table approvals
  -- what can be allowed together with the call
  add column grantable json,
  -- the grant that approved it; not a reference, so that it is still known after the grant was revoked
  add column grant_id uuid;
