-- When the tokens of a person were last revoked. Tokens carry the value that was known when they were issued.
create table end_user_revocations (
  workspace_id uuid not null references workspaces on delete cascade,
  -- a hash of the person's id: an erased person must not be named
  person bytea not null,
  -- whole milliseconds; only increases
  revoked_at timestamptz not null,
  primary key (workspace_id, person)
);
create index end_user_revocations_age on end_user_revocations (revoked_at);
