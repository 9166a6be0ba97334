import type { AgentSchedule } from '@svc/contract/schedules';
import { expect } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { eventually } from './chat.ts';
import type { Call } from './test-app.ts';

/** How often tests check schedules, so that they need not wait for a second. */
export const scheduleEveryMilliseconds = 60;

export async function readSchedule({ call }: { call: Call }, agentId: string): Promise<AgentSchedule> {
  const answer = await call(`GET /api/v1/agents/${agentId}/schedule`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

/** Waits until this many slots are on record, and returns the schedule. */
export async function slotsOnRecord(
  service: { call: Call },
  agentId: string,
  count: number,
): Promise<AgentSchedule> {
  await eventually(async () => (await readSchedule(service, agentId)).recent.length, 100).toBe(count);
  return readSchedule(service, agentId);
}

export interface RecordedRun {
  conversation_id: string;
  bot_id: string;
  trigger: string;
  status: string;
}

/** Every run, in the order in which they began. */
export async function listRuns(database: Database): Promise<RecordedRun[]> {
  const { rows } = await database.acrossWorkspaces.execute<RecordedRun & Record<string, unknown>>(
    sql`select conversation_id, bot_id, trigger, status from runs order by turn_id`,
  );
  return rows;
}

/** A run must be over before the next slot, or that slot is skipped. */
export async function noRunIsOpen(database: Database): Promise<void> {
  const open = async () =>
    (await listRuns(database)).filter(({ status }) => ['running', 'paused'].includes(status)).length;
  await eventually(open, 60).toBe(0);
}
