-- What was used belongs to the message that a model was asked for, and to the step of the trace that shows the request.
-- Neither may have been stored, so they are not references. Earlier usage has none: it counts for its turn and conversation only.
alter table usage_records
  add column message_id uuid,
  add column trace_step_id uuid;
