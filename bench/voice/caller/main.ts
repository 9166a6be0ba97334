import { setTimeout as delay } from 'node:timers/promises';
import { createPacer } from '@svc/sip/media/pacer';
import { serveJobs } from '../../support/start-worker.ts';
import type { CallsJob, CallsOutcome } from './job.ts';
import { talk } from './talk.ts';

const pacing = {
  onError(error: unknown) {
    throw error;
  },
};

/** The callers, and nothing else: when a packet came is told by a process that does not wait for the service. */
serveJobs(async (job: CallsJob): Promise<CallsOutcome> => {
  const calls = Array.from({ length: job.calls }, async (_value, index) => {
    await delay((job.spreadMs * index) / job.calls);
    // Each has a clock of its own: packets of theirs and of ours are not in step.
    return talk(job, createPacer(pacing));
  });
  const outcomes = await Promise.all(calls);
  const all = (name: keyof CallsOutcome) => outcomes.flatMap((outcome) => outcome[name]);
  return {
    greetings: all('greetings'),
    replies: all('replies'),
    stops: all('stops'),
    pacing: all('pacing'),
    gaps: all('gaps'),
  };
});
