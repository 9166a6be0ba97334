import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep, setImmediate as yieldToOthers } from 'node:timers/promises';
import { listWithPs } from './list-with-ps.ts';
import { type ProcessEntry, selectTree } from './process-entry.ts';

const maxRounds = 100;

/**
 * Ends all processes of a command: first politely, after `graceMs` by force, until none is left. Without a sandbox a
 * process escapes if it left its group, lost its parent and removed the marker from its environment.
 */
export async function endTree(pid: number | undefined, marker: string, graceMs: number): Promise<void> {
  if (process.platform === 'win32') return endOnWindows(pid);
  const forceAt = performance.now() + graceMs;
  const asked = new Set<number>();
  for (let round = 0; round < maxRounds; round++) {
    const members = selectTree(await listProcesses(marker), pid);
    if (members.length === 0) return;
    const isOver = performance.now() >= forceAt;
    for (const member of members) {
      if (isOver) send(member, 'SIGKILL');
      else if (!asked.has(member)) send(member, 'SIGTERM');
      asked.add(member);
    }
    await sleep(isOver ? 10 : 50);
  }
}

/** Asks the processes in a sandbox to end. Ending bubblewrap ends them all by force. */
export async function askSandboxToEnd(bubblewrap: number, marker: string): Promise<void> {
  const processes = await listProcesses(marker);
  // Bubblewrap runs its command below a process that collects the others, and both must stay until they have ended.
  const reaper = processes.find(({ parent }) => parent === bubblewrap)?.pid;
  for (const pid of selectTree(processes, bubblewrap)) {
    if (pid !== bubblewrap && pid !== reaper) send(pid, 'SIGTERM');
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or belongs to another user because the command changed it.
  }
}

/** Windows has no polite way for programs without a window. */
function endOnWindows(pid: number | undefined): Promise<void> {
  if (pid === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    // It fails when everything has ended already.
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], () => resolve());
  });
}

/** All processes of this machine; those that have ended but were not collected by their parent are left out. */
export function listProcesses(marker: string): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listOnLinux(marker) : listWithPs(marker);
}

/** Reading these files never waits for a disk, and is many times faster without a thread for each. */
const batchSize = 200;

async function listOnLinux(marker: string): Promise<ProcessEntry[]> {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const entries: ProcessEntry[] = [];
  for (const [index, name] of names.entries()) {
    if (index > 0 && index % batchSize === 0) await yieldToOthers();
    const entry = readEntry(Number(name), marker);
    if (entry) entries.push(entry);
  }
  return entries;
}

function readEntry(pid: number, marker: string): ProcessEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The name of the program is in parentheses and may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  const isMarked = `\0${readText(`/proc/${pid}/environ`)}`.includes(`\0${marker}\0`);
  return { pid, parent: Number(fields[1]), group: Number(fields[2]), isMarked };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // It has ended, or belongs to another user, whose processes are not part of a command.
    return '';
  }
}
