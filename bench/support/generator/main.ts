import { serveJobs } from '../start-worker.ts';
import type { Job } from './job.ts';
import { createReaders } from './readers.ts';
import { createRequests } from './requests.ts';
import { runTurns } from './turns.ts';

/** The load comes from a process of its own: what measures must not wait for what is measured. */
const readers = createReaders();
const requests = createRequests();

async function carryOut(job: Job): Promise<unknown> {
  switch (job.kind) {
    case 'turns':
      return runTurns(job);
    case 'open-readers':
      return readers.open(job);
    case 'reader-lags':
      return readers.lags(job);
    case 'close-readers':
      return readers.close();
    case 'begin-requests':
      return requests.begin(job);
    case 'end-requests':
      return requests.end();
  }
}

serveJobs(carryOut);
