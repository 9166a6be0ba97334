-- For what is put aside. On its own, so that messages can be read while it is built.
create index messages_branch on messages (branch_id) where branch_id is not null;
