import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from '../../packages/server/src/database/embedded/open-embedded-database.ts';
import { makeKey } from '../../packages/server/src/secrets/bearer-key.ts';
import type { CleanUp } from './clean-up.ts';
import { type MeasuredProcess, startProcess } from './start-process.ts';

export interface MeasuredService extends MeasuredProcess {
  /** An account key with every ability. */
  key: string;
  /** What `pg` needs to reach the service's own PostgreSQL. */
  connection: EmbeddedDatabase['connection'];
}

const main = import.meta.resolve('../../packages/server/src/main.ts');

/** The real service in its own process, with an embedded PostgreSQL in a directory that goes with the run. */
export async function startService(
  cleanUp: CleanUp,
  environment: Record<string, string> = {},
): Promise<MeasuredService> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  await cleanUp.add(() => rm(directory, { recursive: true, force: true }));
  // Ours is the first place and the last one: PostgreSQL is stopped even when the service had to be killed.
  const database = await openEmbeddedDatabase({ directory, role: 'command' });
  await cleanUp.add(() => database.stop());
  const key = makeKey('svc_sk_');
  const service = await startProcess(cleanUp, {
    file: main,
    readyPath: '/readyz',
    environment: {
      SVC_DATA_DIR: directory,
      SVC_LOG_LEVEL: 'warn',
      SVC_BOOTSTRAP_KEY: key,
      ...environment,
    },
  });
  return { ...service, key, connection: database.connection };
}
