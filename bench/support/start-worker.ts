import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CleanUp } from './clean-up.ts';

/** A process that carries out one job after the other: what measures must not wait for what is measured. */
export interface Worker<Job> {
  pid: number;
  run(job: Job): Promise<unknown>;
}

interface Answer {
  outcome?: unknown;
  failure?: string;
}

export async function startWorker<Job extends object>(cleanUp: CleanUp, file: string): Promise<Worker<Job>> {
  const child = fork(fileURLToPath(file), { detached: true, serialization: 'advanced' });
  const exit = once(child, 'exit');
  await cleanUp.add(async () => {
    child.kill('SIGTERM');
    await exit;
  });
  if (child.pid === undefined) throw new Error(`${file} has no process.`);
  return {
    pid: child.pid,
    async run(job) {
      child.send(job);
      const ended = exit.then(() => [{ failure: `${file} ended.` }]);
      const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Answer];
      if (answer.failure !== undefined) throw new Error(answer.failure);
      return answer.outcome;
    },
  };
}

/** The other side of it; it gets nothing but jobs of its kind. */
export function serveJobs(carryOut: (job: never) => Promise<unknown>): void {
  process.on('message', (job) => {
    carryOut(job as never).then(
      (outcome) => process.send?.({ outcome }),
      (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit());
}
