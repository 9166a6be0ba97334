import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from '../history.ts';
import type { Stage } from '../stage/stage.ts';

export interface Takeovers {
  /** Call this right before a node is killed. */
  watch(pid: number): Promise<() => Promise<void>>;
  slowestMs(): number;
  count(): number;
}

const promisedMs = 30_000;
const lookEveryMs = 250;

/** Measures how long the turns of a killed node stay with it. */
export function createTakeovers({ postgres, nodes }: Stage, history: History, patience: number): Takeovers {
  const limitMs = promisedMs * patience;
  let slowestMs = 0;
  let count = 0;

  async function turnsOf(nodeId: string): Promise<string[]> {
    const rows = await postgres.query<{ id: string }>(
      `select id from turns where node_id = $1 and status = 'running'`,
      [nodeId],
    );
    return rows.map(({ id }) => id);
  }

  async function findNode(pid: number): Promise<string | undefined> {
    const rows = await postgres.query<{ id: string }>('select id from nodes where process_id = $1', [pid]);
    return rows[0]?.id;
  }

  /** Only time in which a takeover is possible counts: PostgreSQL runs, and some node reaches it. */
  async function measure(nodeId: string): Promise<void> {
    let waitedMs = 0;
    let before = performance.now();
    for (;;) {
      await sleep(lookEveryMs);
      const now = performance.now();
      if (postgres.isRunning() && nodes.some((node) => node.isHealthy())) waitedMs += now - before;
      before = now;
      // PostgreSQL may be down at any time: then nothing is known, and the next look decides.
      const left = await turnsOf(nodeId).catch(() => undefined);
      if (left?.length === 0) break;
      if (left && waitedMs > limitMs) {
        history.find({
          what: `turns were not taken over within ${limitMs / 1000} s`,
          ids: [nodeId, ...left],
        });
        return;
      }
    }
    slowestMs = Math.max(slowestMs, waitedMs);
  }

  return {
    slowestMs: () => slowestMs,
    count: () => count,
    async watch(pid) {
      // While PostgreSQL is down, this kill cannot be timed; the checks at rest still find turns that were left.
      const nodeId = await findNode(pid).catch(() => undefined);
      return async () => {
        if (nodeId === undefined) return;
        const taken = await turnsOf(nodeId).catch(() => []);
        count += taken.length;
        if (taken.length > 0) history.note(`process ${pid} left the turns ${taken.join(', ')}`);
        await measure(nodeId);
      };
    },
  };
}
