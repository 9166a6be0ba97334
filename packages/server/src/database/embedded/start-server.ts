import { spawn } from 'node:child_process';
import { type FileHandle, lchown, open, rename, stat } from 'node:fs/promises';
import { createClusterIfMissing } from './create-cluster.ts';
import { type EmbeddedContext, giveToOwner, ifPresent, type Owner } from './data-directory.ts';
import { chooseLaunch } from './launch-command.ts';
import { clearStaleLock, postmasterFilePath } from './postmaster.ts';
import { type Binaries, findBinaries } from './programs.ts';
import { chooseListening } from './server-address.ts';
import { writeSettings } from './server-settings.ts';

export type StartedServer = Awaited<ReturnType<typeof spawnServer>>;

/** Prepares everything and runs the server, without waiting for it to listen. */
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
  await writeSettings(context, listening, launch.owner);
  context.report('Starting PostgreSQL…');
  return spawnServer(context, [...launch.prefix, ...serverCommand(context, binaries)], launch.owner);
}

function serverCommand({ directory }: EmbeddedContext, { postgres, pgCtl }: Binaries): string[] {
  // The server refuses to run with an administrator's rights, and on Windows only pg_ctl can drop them.
  if (process.platform === 'win32') return [pgCtl, 'start', '--wait', '-D', directory.cluster];
  return [postgres, '-D', directory.cluster];
}

async function spawnServer(
  { directory }: EmbeddedContext,
  command: readonly string[],
  owner: Owner | undefined,
) {
  const [program = '', ...parameters] = command;
  const log = await openServerLog(directory.log, owner);
  try {
    const { size } = await log.stat();
    // In its own session, so that Ctrl-C in the terminal reaches only the service, which then shuts it down cleanly.
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
      /** What this server, or one that started beside it, wrote to the log. */
      readLog: () => readServerLog(directory.log, size),
      /** Ends a start that is no longer wanted; harmless when it has ended. */
      async interrupt(): Promise<void> {
        if (!ended) child.kill('SIGINT');
        await end;
      },
    };
  } finally {
    await log.close();
  }
}

// The server writes a few lines for each start and stop: one file and its predecessor hold years.
const rotateAtBytes = 1_000_000;
const tailBytes = 4000;

/** Opens the log for a server to write to; a log that has grown large is kept beside it as `.1`. */
async function openServerLog(path: string, owner: Owner | undefined): Promise<FileHandle> {
  const size = (await ifPresent(stat(path)))?.size ?? 0;
  // Another process that starts at the same time may have moved it already.
  if (size > rotateAtBytes) await ifPresent(rename(path, `${path}.1`));
  const log = await open(path, 'a', 0o600);
  if (owner !== undefined) await lchown(path, owner.uid, owner.gid);
  return log;
}

/** What was written after `offset`, or only the end of it when that is long. */
async function readServerLog(path: string, offset: number): Promise<string> {
  const log = await ifPresent(open(path, 'r'));
  if (log === undefined) return '';
  try {
    const { size } = await log.stat();
    const start = Math.max(offset, size - tailBytes);
    const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(tailBytes), position: start });
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await log.close();
  }
}
