-- How long calls lasted, so that usage has their minutes even where they cost nothing.
alter table usage_records add column call_seconds integer not null default 0;
