-- The history of all runs of a workspace, newest first, and those of one month.
create index runs_history on runs (workspace_id, started_at desc, turn_id desc);
-- The same for slots of which no run came; an agent keeps 200 slots.
create index schedule_slots_history on schedule_slots (workspace_id, slot_at desc) where outcome <> 'fired';
