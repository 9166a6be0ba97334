-- What became of replies that were graded or validated: for the workspace's own people, on no path of the API.

create table quality_records (
  id uuid primary key,
  workspace_id uuid not null,
  bot_id uuid not null,
  conversation_id uuid not null,
  turn_id uuid not null,
  -- it goes when the message goes, so that truncation takes the text along
  message_id uuid not null unique references messages on delete cascade,
  -- null: replies of the bot were not graded
  grading text check (grading in ('graded', 'ungraded')),
  score double precision check (score between 0 and 1),
  ungraded_because text,
  refused boolean not null default false,
  refused_text text,
  -- null: not validated, because nobody asked for it or the turn used no sources
  validation text check (validation in ('pending', 'validated', 'failed')),
  validation_problem text,
  verdict text check (verdict in ('supported', 'unsupported')),
  unsupported_claims json not null default '[]',
  -- knowledge that the reply could draw on: kept until the verdict
  passages json not null default '[]',
  created_at timestamptz not null,
  validated_at timestamptz,
  check ((grading = 'graded') = (score is not null)),
  check ((validation = 'validated') = (verdict is not null)),
  check (refused = (refused_text is not null))
);
create index quality_records_bot on quality_records (workspace_id, bot_id, id desc);
create index quality_records_time on quality_records (workspace_id, created_at);
