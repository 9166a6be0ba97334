-- What the call would do, as a sentence with {{parameter}} in it; null where its tool has none.
alter table approvals add column title_template text;
