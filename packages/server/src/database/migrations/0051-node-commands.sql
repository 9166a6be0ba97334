-- Commands from node to node, which carried only frames of machines before: a crash of PostgreSQL must not lose a hang-up.
alter table machine_messages set logged;
