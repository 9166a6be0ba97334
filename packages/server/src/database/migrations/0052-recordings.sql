-- How long calls lasted, so that usage has their minutes even where they cost nothing.
alter table usage_records add column call_seconds integer not null default 0;

-- The sound of calls, of bots that record them.
create table call_recordings (
  call_id uuid primary key references voice_calls on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  sample_rate integer not null,
  -- of all parts
  bytes bigint not null default 0,
  -- where the lines of the transcript begin
  marks json not null default '[]',
  created_at timestamptz not null default now()
);
create index call_recordings_workspace on call_recordings (workspace_id);
create index call_recordings_bot on call_recordings (bot_id, created_at);

-- Two channels, the caller's first, with one byte of G.711 µ-law per sample. All parts of a call but its last are equally long,
-- and are written while it lasts: a node that is lost takes only the last seconds with it.
create table call_recording_parts (
  call_id uuid not null references call_recordings on delete cascade,
  position integer not null,
  workspace_id uuid not null references workspaces on delete cascade,
  audio bytea not null,
  primary key (call_id, position)
);
create index call_recording_parts_workspace on call_recording_parts (workspace_id);
-- Sound that is compressed already does not become smaller.
alter table call_recording_parts alter column audio set storage external;
