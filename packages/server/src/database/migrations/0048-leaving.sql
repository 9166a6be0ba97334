-- Who made the identity secret of a widget key: the id of a member or of an account key.
alter table widget_keys add column identity_secret_by uuid;
update widget_keys set identity_secret_by = (
  select audit_entries.actor_id from audit_entries
  where audit_entries.workspace_id = widget_keys.workspace_id
    and audit_entries.object_id = widget_keys.id::text
    and audit_entries.action = 'widget_key.updated'
    and audit_entries.changes::jsonb @> '[{"field": "identity_secret"}]'
  order by audit_entries.id desc limit 1)
where widget_keys.identity_secret is not null;

-- What a member, or a key that they made, has made.
create index account_keys_creator on account_keys (created_by) where created_by is not null;
create index machines_creator on machines (created_by) where created_by is not null;

-- An invitation that was sent to an address by mail: the open one that it was asked for with, which is used up with it.
alter table member_links add column opened_from uuid references member_links on delete cascade;
create index member_links_opened on member_links (opened_from) where opened_from is not null;
