import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Bus } from '../bus/bus.ts';
import type { Database, Queryable } from '../database/database.ts';
import { asc, eq, inArray, lt, ne, sql } from '../database/drizzle.ts';
import { isProcessRunning } from '../lib/is-process-running.ts';
import type { Log } from '../lib/log.ts';
import { newId } from '../lib/new-id.ts';
import { release } from '../lib/release.ts';
import { repeat } from '../lib/repeat.ts';
import { lostAfter, nodes } from './nodes.tables.ts';

/** Earlier than others consider this node lost, so that its work can be stopped before they take it over. */
const lapsedAfterMilliseconds = 12_000;
/** PostgreSQL's notifications that a node has started or changed its bus. The payload is its id. */
export const nodesChannel = 'svc_nodes';

/** An SQL condition: whether the node with this id is lost. */
export function nodeLost(nodeId: AnyPgColumn): SQL {
  return sql`not exists (select 1 from ${nodes} where ${nodes.id} = ${nodeId} and ${nodes.seenAt} > now() - ${lostAfter})`;
}

export type Presence = Awaited<ReturnType<typeof announcePresence>>;

export interface PresenceOptions {
  database: Database;
  log: Log;
  bus: Pick<Bus, 'reach' | 'onReach'>;
  /** This node is the only one: all others count as lost immediately. */
  isAlone: boolean;
}

/**
 * Tells the other nodes, through the database and by its clock, that this one is alive and which bus it is on. A node on this
 * machine whose process no longer exists counts as lost immediately.
 */
export async function announcePresence({ database, log, bus, isAlone }: PresenceOptions) {
  const nodeId = newId();
  // Heartbeats must not wait behind a burst of requests: a node that is merely busy would count as lost.
  const { urgent } = database;
  const processSpace = await readProcessSpace();
  const callbacks = new Set<() => void>();
  let beatAt = performance.now();
  let pastLapses = 0;
  let others: readonly OtherNode[] = [];
  let announcedReach: string | null | undefined;
  let wasApart = false;
  let latest: Promise<void> = Promise.resolve();
  let isLookQueued = false;

  /** Whether this node's last heartbeat is so old that others may soon consider it lost. */
  const hasLapsed = () => !isAlone && performance.now() - beatAt >= lapsedAfterMilliseconds;
  /** Whether some other node that is alive is not on the same bus. */
  const isApart = () => others.some(({ reach }) => reach === null || reach !== bus.reach);

  async function beat(): Promise<void> {
    const startedAt = performance.now();
    const reach = bus.reach ?? null;
    await urgent
      .insert(nodes)
      .values({ id: nodeId, processSpace: processSpace ?? null, processId: process.pid, reach, release })
      .onConflictDoUpdate({ target: nodes.id, set: { seenAt: sql`now()`, reach } });
    if (hasLapsed()) pastLapses += 1;
    beatAt = startedAt;
    if (isAlone) return;
    if (reach !== announcedReach) await urgent.execute(sql`select pg_notify(${nodesChannel}, ${nodeId})`);
    announcedReach = reach;
    await lookAround();
  }

  async function lookAround(): Promise<void> {
    const before = others;
    others = await readOtherNodes(urgent, { nodeId, processSpace });
    const alive = new Set(others.map(({ id }) => id));
    noteChange({ isOneGone: before.some(({ id }) => !alive.has(id)) });
  }

  function noteChange({ isOneGone }: { isOneGone: boolean }): void {
    if (!isOneGone && isApart() === wasApart) return;
    wasApart = isApart();
    for (const callback of callbacks) callback();
  }

  /** One after the other, so that the latest reach is the one that is stored. */
  function inOrder(work: () => Promise<void>): Promise<void> {
    latest = latest.then(work, work);
    return latest;
  }

  function inBackground(work: () => Promise<void>): void {
    inOrder(work).catch((error: unknown) =>
      log.warn({ err: error }, 'The other nodes could not be looked up; the next heartbeat tries again.'),
    );
  }

  /** Heartbeats never wait behind more than one look, however many nodes report something at the same time. */
  function lookSoon(): void {
    if (isAlone || isLookQueued) return;
    isLookQueued = true;
    inBackground(() => {
      isLookQueued = false;
      return lookAround();
    });
  }

  if (isAlone) await urgent.delete(nodes);
  await inOrder(beat);
  await urgent.delete(nodes).where(lt(nodes.seenAt, sql`now() - interval '1 day'`));
  const beating = repeat({ name: 'heartbeat', everyMilliseconds: 3_000, log, work: () => inOrder(beat) });
  const unsubscribe = bus.onReach(() => {
    noteChange({ isOneGone: false });
    inBackground(beat);
  });
  return {
    nodeId,
    hasLapsed,
    /** How often it has lapsed: after that, another node may run what this one was running before. */
    lapses: (): number => (hasLapsed() ? pastLapses + 1 : pastLapses),
    isApart,
    /** Called when `isApart` changes and when another node is gone, until the returned function is called. */
    onChange(callback: () => void): () => void {
      callbacks.add(callback);
      return () => void callbacks.delete(callback);
    },
    /** Handles a notification on `nodesChannel`. */
    hear(changed: string): void {
      if (changed !== nodeId) lookSoon();
    },
    /** Whether no other node that is alive has this id, by the database. */
    async isGone(id: string): Promise<boolean> {
      await inOrder(lookAround);
      return others.every((other) => other.id !== id);
    },
    /** Removes this node, so that others need not wait. Repeated calls are harmless. */
    async stop(): Promise<void> {
      unsubscribe();
      await beating.stop();
      // A heartbeat that failed has been logged already.
      await latest.catch(() => undefined);
      await urgent.delete(nodes).where(eq(nodes.id, nodeId));
    },
  };
}

/** For a database that only we use: whatever was running there before is gone, and its work can be taken over at once. */
export async function forgetAllNodes(database: Database): Promise<void> {
  await database.acrossWorkspaces.delete(nodes);
}

/** For a node whose process has ended. */
export async function forgetNode(database: Database, nodeId: string): Promise<void> {
  await database.urgent.delete(nodes).where(eq(nodes.id, nodeId));
}

const maxListed = 100;

/** The nodes that have not been removed, the oldest first. */
export function listNodes(query: Queryable) {
  const { id, release: ofNode, startedAt, seenAt } = nodes;
  const isAlive = sql<boolean>`${seenAt} > now() - ${lostAfter}`;
  return query
    .select({ id, release: ofNode, startedAt, seenAt, isAlive })
    .from(nodes)
    .orderBy(asc(startedAt), asc(id))
    .limit(maxListed);
}

/** The nodes that are alive, `first` before the others, at most `limit`; and how many there are. */
export async function listAliveNodes(query: Queryable, first: string, limit: number) {
  const rows = await query
    .select({ id: nodes.id, total: sql<number>`(count(*) over ())::int` })
    .from(nodes)
    .where(sql`${nodes.seenAt} > now() - ${lostAfter}`)
    .orderBy(sql`${nodes.id} <> ${first}`, asc(nodes.startedAt), asc(nodes.id))
    .limit(limit);
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
}

type OtherNode = Pick<typeof nodes.$inferSelect, 'id' | 'reach'>;

/** The other nodes that are alive. Those whose process is known to have ended are removed without waiting any longer. */
async function readOtherNodes(
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

/**
 * Identifies a machine's boot and the process namespace: among nodes with the same value, a process id that does not exist
 * belongs to a process that has ended. Undefined where this cannot be determined, as outside Linux.
 */
export async function readProcessSpace(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const [boot, namespace] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
    ]);
    return `${hostname()} ${boot.trim()} ${namespace}`;
  } catch {
    // A sandbox without these files: nodes then count as lost only when their heartbeat expires.
    return undefined;
  }
}
