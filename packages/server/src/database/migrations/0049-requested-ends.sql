-- What the node with the line of a call is asked to end it for.
alter table voice_calls
  add column end_requested_reason text,
  add column end_requested_detail text;
