import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';

export interface UseRow {
  toolId: string;
  botIds: string[];
  hookBotIds: string[];
  secrets: { field: string; set_at: string }[];
}

export const toolUseStore = {
  /** Of one tool, or of all. */
  async list(query: Queryable, workspaceId: string, toolId: string | undefined): Promise<UseRow[]> {
    const { rows } = await query.execute<UseRow & Record<string, unknown>>(
      sql`select t.id as "toolId",
            array(select distinct a.bot_id from tool_assignments a
                  where a.workspace_id = t.workspace_id and a.tool_configuration_id = t.id) as "botIds",
            array(select distinct h.bot_id from post_call_hooks h
                  where h.workspace_id = t.workspace_id and h.tool_configuration_id = t.id) as "hookBotIds",
            coalesce((select json_agg(json_build_object('field', s.field, 'set_at', s.updated_at) order by s.field)
                  from tool_secrets s where s.workspace_id = t.workspace_id and s.tool_id = t.id), '[]') as secrets
          from tools t
          where t.workspace_id = ${workspaceId} and (${toolId ?? null}::uuid is null or t.id = ${toolId ?? null}::uuid)
          order by t.id`,
    );
    return rows;
  },
};
