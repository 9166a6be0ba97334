-- What was used belongs to the message that a model was asked for, and to the step of the trace that shows the request.
-- Neither may have been stored, so they are not references. Earlier steps wrote a reply and what it used at the same time, by which
-- replies are found; steps of traces are not.
alter table usage_records
  add column message_id uuid,
  add column trace_step_id uuid;

update usage_records set message_id = messages.id
from messages
where messages.conversation_id = usage_records.conversation_id
  and messages.turn_id = usage_records.turn_id
  and messages.role = 'assistant'
  and messages.created_at = usage_records.created_at;
