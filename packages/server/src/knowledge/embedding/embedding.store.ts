import type { Queryable, Transaction } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';
import { isProcessed } from '../chunks/chunks.store.ts';

const batchSize = 2_000;

export const embeddingStore = {
  /** Workspaces that use another model, or where chunks of finished sources have no vector of this one. */
  async listOutdatedAcrossWorkspaces(query: Queryable, model: string): Promise<string[]> {
    const { rows } = await query.execute<{ id: string }>(
      sql`select s.workspace_id as id from knowledge_statistics s
          where s.embedding_model <> ${model} or exists (
            select from knowledge_chunks c join knowledge k on k.id = c.knowledge_id
            where c.workspace_id = s.workspace_id and k.processing_status = 'completed'
              and not exists (select from knowledge_embeddings e where e.chunk_id = c.id and e.model = ${model})
          )`,
    );
    return rows.map(({ id }) => id);
  },

  /**
   * Switches the workspace to the model if all chunks have its vectors; false otherwise. Chunks of a source that is being
   * processed get theirs from its own job, and are found by keywords until then.
   */
  async switchWhenComplete(tx: Transaction, workspaceId: string, model: string): Promise<boolean> {
    // Chunks are only added and removed with this row locked.
    await tx.execute(sql`select from knowledge_statistics where workspace_id = ${workspaceId} for update`);
    const { rows } = await tx.execute<{ incomplete: boolean }>(
      sql`select exists (
            select from knowledge_chunks c where c.workspace_id = ${workspaceId}
              and not exists (select from knowledge k where k.id = c.knowledge_id and ${isProcessed})
              and not exists (select from knowledge_embeddings e where e.chunk_id = c.id and e.model = ${model})
          ) as incomplete`,
    );
    if (rows[0]?.incomplete) return false;
    await embeddingStore.switchTo(tx, workspaceId, model);
    return true;
  },

  async switchTo(query: Queryable, workspaceId: string, model: string): Promise<void> {
    await query.execute(
      sql`update knowledge_statistics set embedding_model = ${model}, revision = revision + 1
          where workspace_id = ${workspaceId}`,
    );
  },

  /** Deletes a batch of the vectors that no search uses anymore; false when there are none left. */
  async removeOthers(query: Queryable, workspaceId: string, model: string): Promise<boolean> {
    const { rows } = await query.execute(
      sql`delete from knowledge_embeddings where (chunk_id, model, part) in (
            select chunk_id, model, part from knowledge_embeddings
            where workspace_id = ${workspaceId} and model <> ${model} limit ${batchSize}
          ) returning 1`,
    );
    return rows.length > 0;
  },
};
