-- What the user thinks of an answer, 'up' or 'down'; null for most. Without a check, which would read all messages while nobody else can.
alter table messages add column rating text;
