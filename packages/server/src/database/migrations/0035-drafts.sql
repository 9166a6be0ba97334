-- Drafts are versions of bots with numbers below zero: only test conversations use them.

-- for the sweep of drafts that nobody has used for a day
create index bot_versions_drafts on bot_versions (created_at) where number < 0;

-- whether a conversation used a draft; other turns have no entry here
create index turns_of_drafts on turns (bot_id, (options ->> 'bot_version')) where (options ->> 'bot_version') like '-%';

-- the version whose tool waits for approval; null: the current one
alter table approvals add column bot_version integer;
