-- A call that runs in order waits for the earlier ones of its reply that do, even while those wait for approval.
alter table tool_calls add column in_order boolean not null default false;

-- Whether the call may change something outside, so that truncation can report what it does not undo.
alter table tool_calls add column has_effects boolean not null default true;
