-- What a tool asks a person while it runs. The turn does not pause for it, so it is not counted among the approvals that it waits for.
alter table approvals add column is_question boolean not null default false;
