import type { CleanUp } from '../clean-up.ts';
import { startWorker } from '../start-worker.ts';
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
  return (await startWorker<Job>(cleanUp, main)) as Generator;
}
