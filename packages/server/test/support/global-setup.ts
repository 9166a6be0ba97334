import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/database.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/open-embedded-database.ts';
import { migrate } from '../../src/database/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string; password?: string; database: string };
  }
}

/** One PostgreSQL for the whole run, with a migrated template that every test file clones. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const embedded = await openEmbeddedDatabase({
    directory,
    role: 'service',
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  const template = openDatabase({ connection: embedded.connection, onConnectionError: () => undefined });
  await migrate(template);
  await template.close();
  project.provide('postgres', embedded.connection);
  return async () => {
    await embedded.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
