-- Schedules of agents: how far each was read, and what became of its slots.

-- Slots up to this moment are dealt with; next_run_at is the first one after it.
alter table bots add column schedule_read_at timestamptz;
update bots set schedule_read_at = least(now(), next_run_at - interval '1 minute') where next_run_at is not null;
-- One that was read into what is now the future: the clock was put back since.
create index bots_read_ahead on bots (schedule_read_at) where next_run_at is not null;

create table schedule_slots (
  bot_id uuid not null references bots on delete cascade,
  slot_at timestamptz not null,
  workspace_id uuid not null references workspaces on delete cascade,
  outcome text not null check (outcome in ('fired', 'skipped_busy', 'skipped_late', 'failed')),
  reason text,
  conversation_id uuid references conversations on delete set null,
  noted_at timestamptz not null,
  -- no slot has two outcomes
  primary key (bot_id, slot_at)
);
create index schedule_slots_conversation on schedule_slots (conversation_id);
