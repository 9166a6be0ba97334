import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorCode } from './error-code.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { runProgram } from './run-program.ts';

/** The number of the server process that runs on the cluster, if there is one. */
export async function findRunningPostmaster(cluster: string): Promise<number | undefined> {
  const file = await readPostmasterFile(cluster);
  return file && (await isPostmaster(file.processId, cluster)) ? file.processId : undefined;
}

/** After a crash or a restart of the machine the number may belong to anybody: what the process runs decides. */
export async function isPostmaster(processId: number, cluster: string): Promise<boolean> {
  if (!isAlive(processId)) return false;
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

export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    if (errorCode(error) === 'EPERM') return true;
    throw error;
  }
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
