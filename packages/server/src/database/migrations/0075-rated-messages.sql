-- For the ratings of the last days: the index by rating has all that were ever given. Messages can be read while it is built.
create index messages_rated on messages (workspace_id, created_at) where rating is not null;
