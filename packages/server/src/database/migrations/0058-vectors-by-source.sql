-- The vectors of one bot's sources are found without reading those of the others.
create index knowledge_embeddings_source on knowledge_embeddings (workspace_id, model, knowledge_id, chunk_id, part);
