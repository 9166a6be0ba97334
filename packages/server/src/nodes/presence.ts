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

/** A node that was not seen for this long counts as lost; heartbeats are five times as frequent. */
const lostAfter = sql`interval '15 seconds'`;
/** Earlier than others consider this node lost, so that its work can be stopped before they take it over. */
const lapsedAfterMilliseconds = 12_000;

/** An SQL condition: whether the node with this id is lost. */
export function nodeLost(nodeId: AnyPgColumn): SQL {
  return sql`not exists (select 1 from ${nodes} where ${nodes.id} = ${nodeId} and ${nodes.seenAt} > now() - ${lostAfter})`;
}

export interface Presence {
  readonly nodeId: string;
  /** Whether this node's last heartbeat is so old that others may soon consider it lost. */
  hasLapsed(): boolean;
  /** Removes another node, which is known to be gone. Repeated calls are harmless. */
  forget(nodeId: string): Promise<void>;
  /** Removes this node, so that others need not wait. Repeated calls are harmless. */
  stop(): Promise<void>;
}

/**
 * Tells the other nodes, through the database and by its clock, that this one is alive. If this node is known to be the only
 * one, all others count as lost immediately; so does a node on this machine whose process no longer exists.
 */
export async function announcePresence(
  database: Database,
  log: Log,
  { isAlone }: { isAlone: boolean },
): Promise<Presence> {
  const nodeId = newId();
  // Heartbeats must not wait behind a burst of requests: a node that is merely busy would count as lost.
  const { urgent } = database;
  const processSpace = await readProcessSpace();
  let beatAt = performance.now();
  if (isAlone) await urgent.delete(nodes);
  async function beat(): Promise<void> {
    const startedAt = performance.now();
    await urgent
      .insert(nodes)
      .values({ id: nodeId, processSpace: processSpace ?? null, processId: process.pid })
      .onConflictDoUpdate({ target: nodes.id, set: { seenAt: sql`now()` } });
    beatAt = startedAt;
    if (processSpace !== undefined && !isAlone) await forgetEnded(urgent, processSpace, nodeId);
  }
  await beat();
  await urgent.delete(nodes).where(lt(nodes.seenAt, sql`now() - interval '1 day'`));
  const beating = repeat({ name: 'heartbeat', everyMilliseconds: 3_000, log, work: beat });
  return {
    nodeId,
    hasLapsed: () => !isAlone && performance.now() - beatAt >= lapsedAfterMilliseconds,
    async forget(goneId) {
      await urgent.delete(nodes).where(eq(nodes.id, goneId));
    },
    async stop() {
      await beating.stop();
      await urgent.delete(nodes).where(eq(nodes.id, nodeId));
    },
  };
}

/** Removes the nodes whose process is known to have ended, without waiting for their heartbeat to expire. */
async function forgetEnded(query: Queryable, processSpace: string, nodeId: string): Promise<void> {
  // A restarted container has the same process id: a node that had it before this process started is lost.
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
