-- The hour of the latest message, by which lists are ordered before they are sorted by its time. An index on the time itself would be
-- written with every message; the hour changes seldom, so that most messages still change no index.
alter table conversations add column active_hour timestamp not null
  generated always as (date_trunc('hour', coalesce(last_message_at, created_at) at time zone 'UTC')) stored;
create index conversations_active on conversations (workspace_id, active_hour);

-- For members who look for what mentions them.
create index conversations_mentioned on conversations (workspace_id) where unread_mentions is not null;
