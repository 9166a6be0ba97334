-- People who sign in to the console. They belong to no workspace; members connects them.
create table users (
  id uuid primary key,
  name text not null,
  -- in lower case
  email text not null unique,
  email_verified boolean not null default false,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table user_sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- useless without the signature in the cookie
  token text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index user_sessions_user on user_sessions (user_id);
create index user_sessions_expiry on user_sessions (expires_at);

-- How a person proves who they are: a password, and later other ways.
create table user_credentials (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider_id, account_id)
);
create index user_credentials_user on user_credentials (user_id);

create table members (
  workspace_id uuid not null references workspaces on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'operator', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, user_id)
);
create index members_user on members (user_id);

-- Links that work once. Only a hash of their token is stored.
create table member_links (
  id uuid primary key,
  purpose text not null check (purpose in ('setup', 'invitation', 'reset')),
  token_hash bytea not null unique,
  -- an invitation: to which workspace, in which role, and for whom if it names somebody
  workspace_id uuid references workspaces on delete cascade,
  role text check (role in ('owner', 'operator', 'viewer')),
  email text,
  created_by uuid,
  -- a reset: of whose password
  user_id uuid references users on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index member_links_workspace on member_links (workspace_id) where workspace_id is not null;
create index member_links_expiry on member_links (expires_at);
