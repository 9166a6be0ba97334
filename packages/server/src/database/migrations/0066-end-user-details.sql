-- What is known of an end user besides their conversations. It ends with the last of these.
create table end_user_details (
  workspace_id uuid not null references workspaces on delete cascade,
  external_user_id text not null,
  name text,
  email text,
  page_url text,
  page_title text,
  browser text,
  -- when a widget last said where they are
  seen_at timestamptz,
  primary key (workspace_id, external_user_id)
);

-- A trigger, because the previous release erases people too. It locks the rows before it looks for conversations that are left: of two
-- transactions that delete a person's last two, the second sees that none is.
create function end_details_with_last_conversation() returns trigger language plpgsql as $$
begin
  perform from end_user_details d where (d.workspace_id, d.external_user_id) in (
    select g.workspace_id, g.external_user_id from gone g) order by d.external_user_id for update;
  delete from end_user_details d using gone g
    where d.workspace_id = g.workspace_id and d.external_user_id = g.external_user_id and not exists (
      select from conversations c where c.workspace_id = d.workspace_id and c.external_user_id = d.external_user_id);
  return null;
end $$;
create trigger conversations_deleted after delete on conversations referencing old table as gone
  for each statement execute function end_details_with_last_conversation();

-- When a widget asks visitors who they are, and when people of the team are there; null: at any time.
alter table widget_customizations
  add column ask_details text not null default 'never'
    check (ask_details in ('never', 'before_chat', 'outside_hours')),
  add column office_hours json;
