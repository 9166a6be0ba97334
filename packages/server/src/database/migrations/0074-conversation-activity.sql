-- The day of the latest message, by which lists are ordered before they are sorted by its time. An index on the time itself would be
-- written with every message; the day changes once a day, so that most messages still change no index.
alter table conversations add column active_on date not null
  generated always as ((coalesce(last_message_at, created_at) at time zone 'UTC')::date) stored;
create index conversations_active on conversations (workspace_id, active_on);

-- For members who look for what mentions them.
create index conversations_mentioned on conversations (workspace_id) where unread_mentions is not null;
