-- What the overview lists: few rows among many, so each index holds only those. Turns, runs and sources get into them when they
-- fail, or leave them when they are done; no step of a turn is written to them.
create index turns_failed on turns (workspace_id, ended_at) where status = 'failed';
create index runs_failed on runs (workspace_id, ended_at)
  where status in ('failed', 'timed_out', 'max_iterations_reached');
create index runs_webhook_failed on runs (workspace_id, ended_at) where webhook_status = 'failed';
create index knowledge_unfinished on knowledge (workspace_id, id) where processing_status in ('pending', 'processing');
create index knowledge_failed on knowledge (workspace_id, id) where processing_status = 'failed';
create index evaluations_running on evaluations (workspace_id, id) where status = 'running';
