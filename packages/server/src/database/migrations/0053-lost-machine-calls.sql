-- An operation whose machine went offline before it reported the outcome. The node that the machine connects to next asks for it.
alter table machine_calls add column lost_at timestamptz;
create index machine_calls_lost on machine_calls (machine_id) where lost_at is not null;
