import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';

/** The beginning of a passage, with the headings above it. */
export interface OutlineRow {
  knowledgeId: string;
  title: string;
  headingPath: string[];
  beginning: string;
}

const maxSources = 5;
const maxPassages = 40;
const maxCharacters = 400;

export const outlineStore = {
  /** The first passages of what a bot knows: its own sources before those of every bot, the newest first. */
  async listOutline(query: Queryable, workspaceId: string, botId: string): Promise<OutlineRow[]> {
    const { rows } = await query.execute<OutlineRow & Record<string, unknown>>(
      sql`select source.id as "knowledgeId", source.title, passage.heading_path as "headingPath", passage.beginning
          from (
            select id, title, bot_id, created_at from knowledge
            where workspace_id = ${workspaceId} and status = 'active' and (bot_id = ${botId} or bot_id is null)
            order by (bot_id is null), created_at desc limit ${maxSources}
          ) as source
          cross join lateral (
            select heading_path, left(content, ${maxCharacters}) as beginning, position from knowledge_chunks
            where knowledge_id = source.id and workspace_id = ${workspaceId}
            order by position limit ${maxPassages}
          ) as passage
          order by (source.bot_id is null), source.created_at desc, passage.position`,
    );
    return rows;
  },
};
