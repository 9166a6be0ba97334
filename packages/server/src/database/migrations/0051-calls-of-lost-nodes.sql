-- For calls whose node dies: what the network needs to end them, and how much was heard of what the bot was saying.
alter table voice_calls
  add column dialog jsonb,
  add column playing jsonb;
