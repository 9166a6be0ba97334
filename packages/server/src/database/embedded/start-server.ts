import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lchown, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseListening } from './choose-listening.ts';
import { clearStaleLock } from './clear-stale-lock.ts';
import type { EmbeddedContext } from './context.ts';
import { createClusterIfMissing } from './create-cluster.ts';
import type { Owner } from './data-directory.ts';
import { type Binaries, findBinaries } from './find-binaries.ts';
import { giveToOwner } from './give-to-owner.ts';
import { chooseLaunch } from './launch-command.ts';
import { postmasterFilePath } from './postmaster-file.ts';
import { openServerLog, readServerLog } from './server-log.ts';
import { renderSettings, settingsFileName } from './server-settings.ts';

export interface StartedServer {
  hasEnded(): boolean;
  /** What this server, or one that started beside it, wrote to the log. */
  readLog(): Promise<string>;
  /** Ends a start that nobody wants any more; harmless when it has ended. */
  interrupt(): Promise<void>;
}

/** Makes everything ready and runs the server, without waiting for it to listen. */
export async function startServer(
  context: EmbeddedContext,
  formerPort: number | undefined,
): Promise<StartedServer> {
  const { directory } = context;
  const binaries = await findBinaries();
  const launch = await chooseLaunch(directory, binaries.postgres);
  await createClusterIfMissing(context, binaries.initdb, launch);
  await giveToOwner(directory.cluster, launch.owner);
  await clearStaleLock(postmasterFilePath(directory.cluster), directory.cluster);
  const listening = await chooseListening(context, launch.owner, formerPort);
  await writeSettings(directory.cluster, renderSettings(listening, context.settings), launch.owner);
  context.report('Starting PostgreSQL…');
  return spawnServer(context, [...launch.prefix, ...serverCommand(context, binaries)], launch.owner);
}

function serverCommand({ directory }: EmbeddedContext, { postgres, pgCtl }: Binaries): string[] {
  // On Windows only pg_ctl can give up an administrator's rights, with which the server refuses to run.
  if (process.platform === 'win32') return [pgCtl, 'start', '--wait', '-D', directory.cluster];
  return [postgres, '-D', directory.cluster];
}

async function spawnServer(
  { directory }: EmbeddedContext,
  command: readonly string[],
  owner: Owner | undefined,
): Promise<StartedServer> {
  const [program = '', ...parameters] = command;
  const log = await openServerLog(directory.log, owner);
  try {
    const { size } = await log.stat();
    // A session of its own, so that Ctrl-C in the terminal reaches only the service, which then stops it in order.
    const child = spawn(program, parameters, {
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    let ended = false;
    const end = new Promise<void>((resolve) => {
      const finish = () => {
        ended = true;
        resolve();
      };
      child.once('exit', finish).once('error', finish);
    });
    child.unref();
    return {
      hasEnded: () => ended,
      readLog: () => readServerLog(directory.log, size),
      interrupt: async () => {
        if (!ended) child.kill('SIGINT');
        await end;
      },
    };
  } finally {
    await log.close();
  }
}

async function writeSettings(cluster: string, text: string, owner: Owner | undefined): Promise<void> {
  const path = join(cluster, settingsFileName);
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(unfinished, text, { mode: 0o600 });
  if (owner !== undefined) await lchown(unfinished, owner.uid, owner.gid);
  await rename(unfinished, path);
}
