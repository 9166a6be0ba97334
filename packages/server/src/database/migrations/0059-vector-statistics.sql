-- 0058 has a better one. On its own, because building that one again would take long if this had to wait for a search.
drop index knowledge_embeddings_workspace;
-- ANALYZE would count the numbers in a sample of vectors, which takes seconds of a processor and tells the planner nothing.
alter table knowledge_embeddings alter column vector set statistics 0;
