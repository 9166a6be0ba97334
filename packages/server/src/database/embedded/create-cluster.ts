import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddedContext } from './context.ts';
import { errorCode } from './error-code.ts';
import { giveToOwner } from './give-to-owner.ts';
import { ifPresent } from './if-present.ts';
import { initialiseCluster } from './initialise-cluster.ts';
import type { Launch } from './launch-command.ts';

const unfinishedPrefix = 'postgres-new-';
// Longer than initdb is allowed to run, so that nobody's work in progress is taken away.
const abandonedAfterMilliseconds = 600_000;

/**
 * Makes the database's files aside and moves them into place whole: a crash leaves nothing half made, and of two
 * first starts at the same moment one wins and both go on with its files.
 */
export async function createClusterIfMissing(
  context: EmbeddedContext,
  initdb: string,
  launch: Launch,
): Promise<void> {
  const { root, cluster } = context.directory;
  await removeAbandoned(root);
  if (await isCluster(cluster)) return;
  context.report('Creating the database (first start)…');
  const unfinished = await mkdtemp(join(root, unfinishedPrefix));
  try {
    await giveToOwner(unfinished, launch.owner);
    await initialiseCluster(context, initdb, launch, unfinished);
    await giveToOwner(unfinished, launch.owner);
    await rename(unfinished, cluster);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await isCluster(cluster))) throw explain(error, cluster);
  }
}

async function isCluster(path: string): Promise<boolean> {
  return (await ifPresent(stat(join(path, 'PG_VERSION')))) !== undefined;
}

async function removeAbandoned(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    const path = join(root, name);
    const found = await ifPresent(stat(path));
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMilliseconds)
      await rm(path, { recursive: true, force: true });
  }
}

function explain(cause: unknown, cluster: string): Error {
  if (errorCode(cause) === 'ENOTEMPTY' || errorCode(cause) === 'EEXIST') {
    return new Error(`${cluster} is not empty, but holds no database. Move it away and start again.`, {
      cause,
    });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`The database could not be created in ${cluster}: ${reason}`, { cause });
}
