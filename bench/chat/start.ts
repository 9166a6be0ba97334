import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCleanUp } from '../support/clean-up.ts';
import { median } from '../support/numbers.ts';
import { startProcess } from '../support/start-process.ts';
import type { Section } from './section.ts';

const main = import.meta.resolve('../../packages/server/src/main.ts');

/** From nothing to ready, PostgreSQL included: the first time and ever after. Installing packages is not in it. */
export const start: Section = async ({ rounds, say }) => {
  const cleanUp = createCleanUp();
  try {
    const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
    await cleanUp.add(() => rm(directory, { recursive: true, force: true }));
    const first = await secondsToReady(directory);
    const later: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      later.push(await secondsToReady(directory));
      say(`Start: round ${round} of ${rounds}`);
    }
    return [
      {
        title: 'Seconds until it is ready',
        results: [
          { label: 'the first time', digits: 2, ours: first, goal: { most: 15 } },
          { label: 'with its data directory', digits: 2, ours: median(later), goal: { most: 5 } },
        ],
      },
    ];
  } finally {
    await cleanUp.run();
  }
};

async function secondsToReady(directory: string): Promise<number> {
  const cleanUp = createCleanUp();
  try {
    const started = performance.now();
    await startProcess(cleanUp, {
      file: main,
      readyPath: '/readyz',
      environment: { SVC_DATA_DIR: directory, SVC_LOG_LEVEL: 'warn' },
    });
    return (performance.now() - started) / 1000;
  } finally {
    await cleanUp.run();
  }
}
