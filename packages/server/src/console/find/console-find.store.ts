import type { FoundObject } from '@svc/contract/console-conversations';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';

interface FoundRow extends Record<string, unknown> {
  type: FoundObject['type'];
  id: string;
  title: string;
  conversation_id: string | null;
  message_id: string | null;
  turn_id: string | null;
  bot_id: string | null;
}

export const findStore = {
  /** Every table is searched by its primary key. */
  async find(query: Queryable, workspaceId: string, id: string): Promise<FoundRow | undefined> {
    const of = sql`workspace_id = ${workspaceId} and id = ${id}`;
    const { rows } = await query.execute<FoundRow>(sql`
      select 'conversation' as type, id, title, id as conversation_id, null::uuid as message_id, null::uuid as turn_id, bot_id
      from conversations where ${of}
      union all select 'conversation', c.id, c.title, c.id, m.id, m.turn_id, c.bot_id
      from messages m join conversations c on c.id = m.conversation_id where m.workspace_id = ${workspaceId} and m.id = ${id}
      union all select 'conversation', c.id, c.title, c.id, null, t.id, c.bot_id
      from turns t join conversations c on c.id = t.conversation_id where t.workspace_id = ${workspaceId} and t.id = ${id}
      union all select 'approval', id, tool_name, conversation_id, null, turn_id, bot_id from approvals where ${of}
      union all select 'bot', id, name, null, null, null, id from bots where ${of}
      union all select 'knowledge', id, title, null, null, null, bot_id from knowledge where ${of}
      union all select 'tool', id, name, null, null, null, null from tools where ${of}
      union all select 'machine', id, name, null, null, null, null from machines where ${of}
      union all select 'widget', id, name, null, null, null, bot_id from widget_keys where ${of}
      union all select 'scenario', id, name, null, null, null, bot_id from evaluation_scenarios where ${of}
      union all select 'evaluation', id, 'Evaluation of version ' || version, null, null, null, bot_id from evaluations where ${of}
      limit 1`);
    return rows[0];
  },
};
