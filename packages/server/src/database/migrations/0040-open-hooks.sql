-- Hooks of calls that have not ended, for the round that looks for those which no job will run.
create index voice_call_hooks_open on voice_call_hooks (call_id) where ended_at is null;
