import { sql } from '../../src/database/drizzle.ts';
import { createNumberAssignments } from '../../src/voice/numbers/number-assignments.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import type { TestApp } from './test-app.ts';

/** Lets the workspace of a bot use a number, as the operator of the service does. */
export async function assignNumber(
  { database }: Pick<TestApp, 'database'>,
  phoneNumber: string,
  botId: string,
): Promise<void> {
  const { rows } = await database.acrossWorkspaces.execute<{ workspace_id: string }>(
    sql`select workspace_id from bots where id = ${botId}`,
  );
  const workspaces = createWorkspaceService({ database });
  await createNumberAssignments({ database, workspaces }).assign(phoneNumber, rows[0]?.workspace_id ?? '');
}
