-- For lists of conversations by rating. On its own, so that messages can be read while it is built.
create index messages_rating on messages (workspace_id, rating) where rating is not null;
