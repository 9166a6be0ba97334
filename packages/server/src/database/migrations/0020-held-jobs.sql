-- Who works on which background job: what a node that is gone left behind is returned to its queue at once.

create table job_holders (
  job_id uuid primary key,
  queue text not null,
  -- pg-boss's retry_count when the job was taken: what was taken anew since belongs to somebody else
  attempt integer not null,
  node_id uuid not null
);

alter table nodes
  -- where a process id means one process: see nodes/process-space.ts; null where that is not known
  add column process_space text,
  add column process_id integer;

alter table account_keys
  -- the key that created this one; null for those of the command and the configuration
  add column created_by uuid;
