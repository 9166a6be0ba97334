import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CleanUp } from '../clean-up.ts';
import type {
  BeginRequestsJob,
  CloseReadersJob,
  EndRequestsJob,
  Job,
  OpenReadersJob,
  ReaderLagsJob,
  RequestsOutcome,
  Spread,
  TurnsJob,
  TurnsOutcome,
} from './job.ts';

/** Carries out one job after the other. */
export interface Generator {
  pid: number;
  run(job: TurnsJob): Promise<TurnsOutcome>;
  /** How many readers are open, or connections ask. */
  run(job: OpenReadersJob | CloseReadersJob | BeginRequestsJob): Promise<number>;
  run(job: ReaderLagsJob): Promise<Spread>;
  run(job: EndRequestsJob): Promise<RequestsOutcome>;
}

const main = import.meta.resolve('./main.ts');

export async function startGenerator(cleanUp: CleanUp): Promise<Generator> {
  const child = fork(fileURLToPath(main), { detached: true });
  const exit = once(child, 'exit');
  await cleanUp.add(async () => {
    child.kill('SIGTERM');
    await exit;
  });

  function run(job: TurnsJob): Promise<TurnsOutcome>;
  function run(job: OpenReadersJob | CloseReadersJob | BeginRequestsJob): Promise<number>;
  function run(job: ReaderLagsJob): Promise<Spread>;
  function run(job: EndRequestsJob): Promise<RequestsOutcome>;
  async function run(job: Job): Promise<unknown> {
    child.send(job);
    const ended = exit.then(() => [{ failure: 'The load generator ended.' }]);
    const [answer] = (await Promise.race([once(child, 'message'), ended])) as [
      { outcome?: unknown; failure?: string },
    ];
    if (answer.failure !== undefined) throw new Error(answer.failure);
    return answer.outcome;
  }
  if (child.pid === undefined) throw new Error('The load generator has no process.');
  return { pid: child.pid, run };
}
