import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorCode } from '../../lib/error-code.ts';
import { isProcessRunning } from '../../lib/is-process-running.ts';
import { ifPresent } from './data-directory.ts';
import { runProgram } from './programs.ts';

// PostgreSQL writes its lock file right after creating it: one that stays empty was left by a crash of the machine.
const emptyForMilliseconds = 5000;

/** What a running server writes to `postmaster.pid`. It adds the address a little later than the rest. */
interface PostmasterFile {
  processId: number;
  port: number;
  socketDirectory: string;
}

export function postmasterFilePath(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}

export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const text = await ifPresent(readFile(postmasterFilePath(cluster), 'utf8'));
  return text === undefined ? undefined : parsePostmasterFile(text);
}

/** The id of the server process that runs on the cluster, if there is one. */
export async function findRunningPostmaster(cluster: string): Promise<number | undefined> {
  const file = await readPostmasterFile(cluster);
  return file && (await isPostmaster(file.processId, cluster)) ? file.processId : undefined;
}

/** After a crash or a restart of the machine another process may have the id, so its command line decides. */
export async function isPostmaster(processId: number, cluster: string): Promise<boolean> {
  if (!isProcessRunning(processId)) return false;
  if (process.platform === 'linux') {
    const [program = '', ...parameters] = await readCommandLine(processId);
    return basename(program) === 'postgres' && parameters.includes(cluster);
  }
  if (process.platform === 'win32') {
    const { output } = await runProgram(['tasklist', '/FI', `PID eq ${processId}`, '/FO', 'CSV', '/NH']);
    return output.includes('postgres');
  }
  const { output } = await runProgram(['ps', '-p', String(processId), '-o', 'command=']);
  return output.includes('postgres') && output.includes(cluster);
}

/**
 * Removes the lock file of a server that is gone and whose process id another process has now, as after a restart of
 * a container: PostgreSQL would refuse to start. (It handles an id that no process has by itself.)
 */
export async function clearStaleLock(path: string, cluster: string): Promise<void> {
  const text = await ifPresent(readFile(path, 'utf8'));
  if (text === undefined || !(await isStale(path, text, cluster))) return;
  // Moved and read again before it is removed, so that the file of a server that has started since is not lost.
  const aside = `${path}.${randomBytes(4).toString('hex')}`;
  await ifPresent(rename(path, aside));
  const taken = await ifPresent(readFile(aside, 'utf8'));
  if (taken !== undefined && taken !== text) await link(aside, path);
  await rm(aside, { force: true });
}

/** Undefined for an empty or incomplete file, which a crash of the machine may leave. */
function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const [processId, , , port, socketDirectory = ''] = text.split('\n').map((line) => line.trim());
  const numbers = { processId: Number(processId), port: Number(port) };
  if (!(numbers.processId > 0 && numbers.port > 0)) return undefined;
  return { ...numbers, socketDirectory };
}

async function readCommandLine(processId: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${processId}/cmdline`, 'utf8')).split('\0');
  } catch (error) {
    // The process may end while its entry is being read.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return [];
    throw error;
  }
}

async function isStale(path: string, text: string, cluster: string): Promise<boolean> {
  if (text.trim() === '') {
    const found = await ifPresent(stat(path));
    return found !== undefined && Date.now() - found.mtimeMs > emptyForMilliseconds;
  }
  const processId = Number.parseInt(text, 10);
  return processId > 0 && isProcessRunning(processId) && !(await isPostmaster(processId, cluster));
}
