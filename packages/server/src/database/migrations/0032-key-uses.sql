-- When a key was last used, to within half a minute.
alter table account_keys add column last_used_at timestamptz;
