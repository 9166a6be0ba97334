import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { askedBy } from '../support/chat.ts';
import { createCall, type TestApp } from '../support/test-app.ts';

/** One of several workspaces in a service that the tests of a file share. */
export interface PaidWorkspace extends Pick<TestApp, 'url' | 'key' | 'call' | 'database'> {
  id: string;
}

/** A new workspace with this balance; without a limit if it is null. */
export async function workspaceWith(service: TestApp, balance: string | null): Promise<PaidWorkspace> {
  const { id, key } = await service.makeWorkspace();
  const { url, database } = service;
  await database.acrossWorkspaces.raw('update workspaces set credit_usd = $1 where id = $2', [balance, id]);
  return { id, key, url, database, call: createCall(url, key) };
}

/** The account of this workspace, or of the only one that has a balance. */
export async function accountOf(
  database: Database,
  workspaceId?: string,
): Promise<{ settled: number; reserved: number }> {
  const { rows } = await database.acrossWorkspaces.execute<{ settled: number; reserved: number }>(
    sql`select settled_usd::float8 as settled, reserved_usd::float8 as reserved from billing_accounts
        where ${workspaceId ?? null}::uuid is null or workspace_id = ${workspaceId ?? null}::uuid`,
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

/** The usage records of this workspace, or all of them, oldest first. */
export async function recordedIn(database: Database, workspaceId?: string): Promise<Recorded[]> {
  const { rows } = await database.acrossWorkspaces.execute<Recorded & Record<string, unknown>>(
    sql`select model, input_tokens as input, output_tokens as output, cost_usd::float8 as cost, turn_id as turn,
          conversation_id as conversation, bot_id as bot, external_user_id as user
        from usage_records
        where ${workspaceId ?? null}::uuid is null or workspace_id = ${workspaceId ?? null}::uuid
        order by created_at, id`,
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
