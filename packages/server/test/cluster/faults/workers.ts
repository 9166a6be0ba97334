import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../stage/stage.ts';

export interface Workers {
  /** The process id of one of the workers; undefined while PostgreSQL cannot tell. */
  pick(choice: number): Promise<number | undefined>;
  signal(pid: number, name: NodeJS.Signals): void;
  pause(durationMs: number): Promise<void>;
}

/** The processes of a node that has several. Each has its own row in `nodes`. */
export function createWorkers({ postgres }: Pick<Stage, 'postgres'>): Workers {
  const workers: Workers = {
    async pick(choice) {
      // While PostgreSQL is down, no process can be picked.
      const rows = await postgres
        .query<{ process_id: number }>('select process_id from nodes order by process_id')
        .catch(() => []);
      return rows[choice % rows.length]?.process_id;
    },
    signal(pid, name) {
      try {
        process.kill(pid, name);
      } catch (error) {
        // It may have ended since it was listed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
    async pause(durationMs) {
      const pid = await workers.pick(durationMs);
      if (pid === undefined) return;
      workers.signal(pid, 'SIGSTOP');
      await sleep(durationMs);
      workers.signal(pid, 'SIGCONT');
    },
  };
  return workers;
}
