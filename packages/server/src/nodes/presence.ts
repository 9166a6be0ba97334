import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Database, Queryable } from '../database/database.ts';
import { and, eq, inArray, lt, ne, sql } from '../database/drizzle.ts';
import { isProcessRunning } from '../is-process-running.ts';
import type { Log } from '../log.ts';
import { newId } from '../new-id.ts';
import { repeat } from '../repeat.ts';
import { readProcessSpace } from './process-space.ts';
import { nodes } from './tables.ts';

/** A node that was not seen for this long is taken for dead; it says that it lives five times as often. */
const lostAfter = sql`interval '15 seconds'`;
/** Sooner than others may believe it: there is time left to stop what they are about to take over. */
const lapsedAfterMilliseconds = 12_000;

/** Whether the node with this id is gone, as a condition. */
export function nodeLost(nodeId: AnyPgColumn): SQL {
  return sql`not exists (select 1 from ${nodes} where ${nodes.id} = ${nodeId} and ${nodes.seenAt} > now() - ${lostAfter})`;
}

export interface Presence {
  readonly nodeId: string;
  /** Whether this node could not say for so long that it lives that others may soon take it for dead. */
  hasLapsed(): boolean;
  /** Says goodbye, so that others need not wait; harmless when repeated. */
  stop(): Promise<void>;
}

/**
 * Tells the other nodes, through the database and by its clock, that this one is alive. A node that is alone need not wait
 * to know that the others are not; nor need one that stood on this machine, when its process is no longer there.
 */
export async function announcePresence(
  database: Database,
  log: Log,
  { isAlone }: { isAlone: boolean },
): Promise<Presence> {
  const nodeId = newId();
  // Not behind a burst of requests: a node that is merely busy would be taken for dead.
  const { urgent } = database;
  const processSpace = await readProcessSpace();
  let toldAt = performance.now();
  if (isAlone) await urgent.delete(nodes);
  async function beat(): Promise<void> {
    const startedAt = performance.now();
    await urgent
      .insert(nodes)
      .values({ id: nodeId, processSpace: processSpace ?? null, processId: process.pid })
      .onConflictDoUpdate({ target: nodes.id, set: { seenAt: sql`now()` } });
    toldAt = startedAt;
    if (processSpace !== undefined && !isAlone) await forgetEnded(urgent, processSpace, nodeId);
  }
  await beat();
  await urgent.delete(nodes).where(lt(nodes.seenAt, sql`now() - interval '1 day'`));
  const beating = repeat({ name: 'heartbeat', everyMilliseconds: 3_000, log, work: beat });
  return {
    nodeId,
    hasLapsed: () => !isAlone && performance.now() - toldAt >= lapsedAfterMilliseconds,
    async stop() {
      await beating.stop();
      await urgent.delete(nodes).where(eq(nodes.id, nodeId));
    },
  };
}

/** Removes the nodes whose process is known to have ended, without waiting until they are missed. */
async function forgetEnded(query: Queryable, processSpace: string, nodeId: string): Promise<void> {
  // A container that starts again has the same process id: whoever had it before this process began is gone.
  const uptime = sql`${performance.now()} * interval '1 millisecond'`;
  const wasBefore = sql<boolean>`${nodes.startedAt} < now() - ${uptime}`;
  const neighbours = await query
    .select({ id: nodes.id, processId: nodes.processId, wasBefore })
    .from(nodes)
    .where(and(eq(nodes.processSpace, processSpace), ne(nodes.id, nodeId)));
  const ended = neighbours.filter((node) =>
    node.processId === process.pid
      ? node.wasBefore
      : node.processId !== null && !isProcessRunning(node.processId),
  );
  if (ended.length === 0) return;
  const ids = ended.map(({ id }) => id);
  await query.delete(nodes).where(inArray(nodes.id, ids));
}
