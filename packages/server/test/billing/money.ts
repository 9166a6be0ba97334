import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { askedBy } from '../support/chat.ts';

/** The account of the only workspace that has a balance. */
export async function accountOf(database: Database): Promise<{ settled: number; reserved: number }> {
  const { rows } = await database.acrossWorkspaces.execute<{ settled: number; reserved: number }>(
    sql`select settled_usd::float8 as settled, reserved_usd::float8 as reserved from billing_accounts`,
  );
  return rows[0] ?? { settled: 0, reserved: 0 };
}

export interface Recorded {
  model: string;
  input: number;
  output: number;
  cost: number | null;
  turn: string | null;
  conversation: string | null;
  bot: string | null;
  user: string | null;
}

/** All usage records, oldest first. */
export async function recordedIn(database: Database): Promise<Recorded[]> {
  const { rows } = await database.acrossWorkspaces.execute<Recorded & Record<string, unknown>>(
    sql`select model, input_tokens as input, output_tokens as output, cost_usd::float8 as cost, turn_id as turn,
          conversation_id as conversation, bot_id as bot, external_user_id as user
        from usage_records order by created_at, id`,
  );
  return rows;
}

/** A provider's count of input tokens, at four bytes per token. */
export function inputTokensOf(request: { body: Record<string, unknown> }): number {
  const [first, ...others] = askedBy(request);
  const tools = request.body['tools'] as { function: object }[] | undefined;
  const asked = [first?.content, others, tools?.map((tool) => tool.function)];
  return Math.ceil(Buffer.byteLength(JSON.stringify(asked)) / 4);
}

export const outputTokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4);
