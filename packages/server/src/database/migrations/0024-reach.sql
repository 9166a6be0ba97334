-- The bus that a node is on: nodes with the same value reach each other. Null for a node without one, and for nodes of older
-- releases.
alter table nodes add column reach text;
