import type { ToolUse } from '@svc/contract/console-tools';
import type { Database } from '../../database/database.ts';
import { notFound } from '../../lib/app-error.ts';
import { toolUseStore } from './console-tools.store.ts';

export type ToolUseService = ReturnType<typeof createToolUseService>;

/** Where tools are used, and when their secrets were set. */
export function createToolUseService({ database }: { database: Database }) {
  return {
    async list(workspaceId: string, toolId: string | undefined): Promise<ToolUse[]> {
      const rows = await toolUseStore.list(database.within(workspaceId), workspaceId, toolId);
      if (toolId !== undefined && rows.length === 0) throw notFound();
      return rows.map((row) => ({
        tool_id: row.toolId,
        bot_ids: row.botIds,
        hook_bot_ids: row.hookBotIds,
        secrets: row.secrets.map(({ field, set_at }) => ({ field, set_at: new Date(set_at).toISOString() })),
      }));
    },
  };
}
