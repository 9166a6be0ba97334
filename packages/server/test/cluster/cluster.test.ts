import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { databaseFolder } from '../support/database-folder.ts';
import { isFull } from '../support/sample.ts';
import { renderFindings } from './report.ts';
import { runCluster } from './run-cluster.ts';

/** Longer than the run allows a cluster that hangs, so that its findings are printed. */
const limits = { timeout: 900_000 };
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(databaseFolder, 'svc-cluster-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it('loses, repeats and reorders nothing while nodes, PostgreSQL and Redis fail', limits, async () => {
  const lines: string[] = [];
  const { history } = await runCluster({
    // These seeds have faults of nodes, of their connections, of PostgreSQL and of Redis.
    ...(isFull ? { seed: 12, loadMs: 15_000 } : { seed: 72, loadMs: 7_000 }),
    rounds: 1,
    nodes: 3,
    processes: 1,
    withRedis: true,
    withStaleNode: false,
    bundle: inject('bundle'),
    preparedCluster: inject('preparedCluster'),
    directory,
    // This test judges no speed.
    patience: 10,
    print: (line) => void lines.push(line),
  });
  expect(history.findings, `${lines.join('\n')}\n${renderFindings(history)}`).toEqual([]);
  expect(history.acknowledged.length).toBeGreaterThan(0);
});
