-- Which workspace may use which number of the installation's telephone account.
create table voice_number_assignments (
  -- without a plus, which networks leave out or not
  digits text primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- as it was entered
  phone_number text not null,
  created_at timestamptz not null default now()
);
create index voice_number_assignments_workspace on voice_number_assignments (workspace_id);
-- Numbers that are in use belong to whoever uses them.
insert into voice_number_assignments (digits, workspace_id, phone_number, created_at)
select ltrim(voice_numbers.phone_number, '+'), voice_numbers.workspace_id, voice_numbers.phone_number, voice_numbers.created_at
from voice_numbers
on conflict do nothing;

-- Where its calls may go, besides the country that they come from; null: as the installation says.
alter table workspaces add column destinations jsonb;

-- The numbers that were dialed in the last day, for calls and transfers. No call is named: deleting one does not take it back.
create table voice_dials (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  dialed_at timestamptz not null default now()
);
create index voice_dials_workspace on voice_dials (workspace_id, dialed_at);

-- Callers who talk to somebody else than the bot. It outlives the record of the call if that is deleted.
create table voice_transfers (
  -- of the call; no reference
  call_id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  transport text not null,
  direction text not null,
  -- of the telephone network
  network_id text not null,
  -- the number that was dialed first, which has a price, and the number that the caller was passed on to
  first_number text,
  to_number text not null,
  answered_at timestamptz not null,
  transferred_at timestamptz not null,
  -- whatever happens, it is over by then
  deadline_at timestamptz not null,
  -- a node looks after it from time to time, whichever comes first
  checked_at timestamptz not null default now(),
  -- what the call has cost so far
  used json not null,
  cost_usd numeric(20, 9) not null
);
create index voice_transfers_checked on voice_transfers (checked_at);
