import type { Queryable } from '../database/database.ts';
import { inArray, ne, sql } from '../database/drizzle.ts';
import { isProcessRunning } from '../lib/is-process-running.ts';
import { lostAfter } from './lost-after.ts';
import { nodes } from './nodes.tables.ts';

export interface OtherNode {
  id: string;
  reach: string | null;
}

/** The other nodes that are alive. Those whose process is known to have ended are removed without waiting any longer. */
export async function readOtherNodes(
  query: Queryable,
  self: { nodeId: string; processSpace: string | undefined },
): Promise<OtherNode[]> {
  // A restarted container has the same process id: a node that had it before this process started is lost.
  const uptime = sql`${performance.now()} * interval '1 millisecond'`;
  const others = await query
    .select({
      id: nodes.id,
      reach: nodes.reach,
      processSpace: nodes.processSpace,
      processId: nodes.processId,
      wasBefore: sql<boolean>`${nodes.startedAt} < now() - ${uptime}`,
      isAlive: sql<boolean>`${nodes.seenAt} > now() - ${lostAfter}`,
    })
    .from(nodes)
    .where(ne(nodes.id, self.nodeId));
  const hasEnded = ({ processSpace, processId, wasBefore }: (typeof others)[number]) => {
    if (self.processSpace === undefined || processSpace !== self.processSpace) return false;
    if (processId === process.pid) return wasBefore;
    return processId !== null && !isProcessRunning(processId);
  };
  const ended = others.filter(hasEnded).map(({ id }) => id);
  if (ended.length > 0) await query.delete(nodes).where(inArray(nodes.id, ended));
  return others.filter(({ id, isAlive }) => isAlive && !ended.includes(id));
}
