-- Whether the call that a message answers failed, so that its provider can be told so. Older messages keep saying it in words.
alter table messages add column failed boolean not null default false;
