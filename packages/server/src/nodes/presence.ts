import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../database/database.ts';
import { eq, lt, sql } from '../database/drizzle.ts';
import type { Log } from '../log.ts';
import { newId } from '../new-id.ts';
import { repeat } from '../repeat.ts';
import { nodes } from './tables.ts';

/** A node that was not seen for this long is taken for dead; it says that it lives five times as often. */
const lostAfter = sql`interval '15 seconds'`;

/** Whether the node with this id is gone, as a condition. */
export function nodeLost(nodeId: AnyPgColumn): SQL {
  return sql`not exists (select 1 from ${nodes} where ${nodes.id} = ${nodeId} and ${nodes.seenAt} > now() - ${lostAfter})`;
}

export interface Presence {
  readonly nodeId: string;
  /** Says goodbye, so that others need not wait; harmless when repeated. */
  stop(): Promise<void>;
}

/**
 * Tells the other nodes, through the database and by its clock, that this one is alive. A node that is alone need not wait
 * to know that the others are not.
 */
export async function announcePresence(
  database: Database,
  log: Log,
  { isAlone }: { isAlone: boolean },
): Promise<Presence> {
  const nodeId = newId();
  if (isAlone) await database.query.delete(nodes);
  async function beat(): Promise<void> {
    await database.query
      .insert(nodes)
      .values({ id: nodeId })
      .onConflictDoUpdate({ target: nodes.id, set: { seenAt: sql`now()` } });
  }
  await beat();
  await database.query.delete(nodes).where(lt(nodes.seenAt, sql`now() - interval '1 day'`));
  const beating = repeat({ name: 'heartbeat', everyMilliseconds: 3_000, log, work: beat });
  return {
    nodeId,
    async stop() {
      await beating.stop();
      await database.query.delete(nodes).where(eq(nodes.id, nodeId));
    },
  };
}
