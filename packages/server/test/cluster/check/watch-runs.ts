import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from '../history.ts';
import type { Stage } from '../stage/stage.ts';

const lookEveryMs = 200;

/**
 * Looks again and again whether an agent has two open runs. Their times cannot tell afterwards: a run's begins when it was
 * requested, which may be before the previous one ended.
 */
export function watchRuns(
  { postgres }: Pick<Stage, 'postgres'>,
  history: History,
): { stop(): Promise<void> } {
  let isOver = false;
  const found = new Set<string>();
  const watching = watch();
  return {
    async stop() {
      isOver = true;
      await watching;
    },
  };

  async function watch(): Promise<void> {
    while (!isOver) {
      await sleep(lookEveryMs);
      // PostgreSQL may be down at any time.
      const busy = await listBusy().catch(() => []);
      for (const { bot_id: agentId, turn_ids: turnIds } of busy) {
        if (found.has(agentId)) continue;
        found.add(agentId);
        history.find({ what: 'an agent has two runs at the same time', ids: [agentId, ...turnIds] });
      }
    }
  }

  function listBusy() {
    return postgres.query<{ bot_id: string; turn_ids: string[] }>(
      `select bot_id, array_agg(turn_id::text) as turn_ids from runs
       where status in ('running', 'paused') group by bot_id having count(*) > 1`,
    );
  }
}
