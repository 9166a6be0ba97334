-- Chat widgets on websites: the keys that their pages use, and how they look.

create table widget_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null references bots on delete cascade,
  -- in plain text: it is public, and stands in the HTML of pages
  api_key text not null unique,
  name text not null,
  allowed_domains text[] not null,
  rate_limit_per_hour integer not null,
  visitor_messages_per_hour integer not null,
  -- null: no limit
  visitor_usd_per_day numeric(20, 9),
  -- sealed; null while visitors cannot prove who they are
  identity_secret bytea,
  is_test boolean not null default false,
  created_at timestamptz not null default now(),
  -- set on test keys
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_used_host text
);
create index widget_keys_bot on widget_keys (bot_id, created_at, id);
create index widget_keys_workspace on widget_keys (workspace_id);
-- Simultaneous requests for a bot's test key get the same one.
create unique index widget_keys_test on widget_keys (bot_id) where is_test and revoked_at is null;

create table widget_customizations (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  bot_id uuid not null unique references bots on delete cascade,
  theme_color text not null,
  position text not null check (position in ('bottom-right', 'bottom-left', 'top-right', 'top-left')),
  greeting_text text not null,
  welcome_message text,
  avatar_url text,
  show_branding boolean not null,
  widget_title text,
  placeholder_text text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index widget_customizations_workspace on widget_customizations (workspace_id);

-- Nodes remember widget keys together with what they show of their bots.
create function notify_widget_bot_changed() returns trigger language plpgsql as $$
begin
  if exists (select from widget_keys where bot_id = new.id) then
    perform pg_notify('svc_widget_changed', new.id::text);
  end if;
  return null;
end $$;

create trigger widget_bot_changed after update of name, status, settings on bots for each row
  when (old.name <> new.name or old.status <> new.status or old.settings <> new.settings)
  execute function notify_widget_bot_changed();
