-- Why an answer was rated down, in the user's words; null for most.
alter table messages add column rating_comment text;
-- A person took over without having been asked, which visitors are told in other words.
alter table conversations add column is_taken_over boolean not null default false;
