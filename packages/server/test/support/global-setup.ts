import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { buildConsole } from '../../../console/build.ts';
import { buildWidget } from '../../../widget/build.ts';
import { openDatabase } from '../../src/database/database.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/open-embedded-database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import { bundleService } from './bundle-service.ts';
import { databaseFolder } from './database-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string; password?: string; database: string };
    /** The files of a migrated cluster that no server is running on. */
    preparedCluster: string;
    /** The folder of the bundled service. */
    bundle: string;
    /** Chooses what is sampled; vitest prints it. */
    seed: number;
  }
}

/** A crash of the machine loses everything, and nothing is cleaned up while the tests run. */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  max_connections: '300',
};

/** One PostgreSQL for the whole run, with a migrated template that every test file clones. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(databaseFolder, 'svc-test-'));
  const preparedCluster = join(directory, 'prepared');
  const open = () => openEmbeddedDatabase({ directory, role: 'service', settings });
  const work = [bundleService(), prepareCluster(), buildWidget(), buildConsole()] as const;
  // All end before a failure is reported, or PostgreSQL would be left running.
  await Promise.allSettled(work);
  const [bundle] = await Promise.all(work);
  const embedded = await open();
  project.provide('postgres', embedded.connection);
  project.provide('preparedCluster', preparedCluster);
  project.provide('bundle', bundle);
  project.provide('seed', project.vitest.config.sequence.seed);
  return async () => {
    await embedded.stop();
    for (const path of [directory, bundle]) await rm(path, { recursive: true, force: true });
  };

  async function prepareCluster(): Promise<void> {
    const first = await open();
    const template = openDatabase({ connection: first.connection, onConnectionError: () => undefined });
    await migrate(template);
    // Every service would otherwise create the tables of pg-boss first, which takes PostgreSQL longer than all else at the start.
    const jobs = createJobs({ database: template, log: pino({ level: 'silent' }) });
    await jobs.start();
    await jobs.stop(0);
    await template.close();
    await first.stop();
    await promisify(execFile)('cp', ['-a', join(directory, 'postgres'), preparedCluster]);
  }
}
