-- A microphone on a site is the choice of its owner.
alter table widget_customizations add column voice_enabled boolean not null default false;
