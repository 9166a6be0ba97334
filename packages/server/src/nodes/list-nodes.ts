import type { Queryable } from '../database/database.ts';
import { asc, sql } from '../database/drizzle.ts';
import { lostAfter } from './lost-after.ts';
import { nodes } from './nodes.tables.ts';

export interface ListedNode {
  id: string;
  release: string | null;
  startedAt: Date;
  seenAt: Date;
  isAlive: boolean;
}

const maxNodes = 100;

/** The nodes that have not been removed, the oldest first. */
export function listNodes(query: Queryable): Promise<ListedNode[]> {
  const { id, release, startedAt, seenAt } = nodes;
  const isAlive = sql<boolean>`${seenAt} > now() - ${lostAfter}`;
  return query
    .select({ id, release, startedAt, seenAt, isAlive })
    .from(nodes)
    .orderBy(asc(startedAt), asc(id))
    .limit(maxNodes);
}
