import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExtractionLimits } from './limits.ts';

export interface ChildCommand {
  program: string;
  parameters: string[];
}

const usualEntry = fileURLToPath(new URL('./child.ts', import.meta.url));
/** Our programs and the packages: all that the child may read. The service's data is elsewhere. */
const readable = ['../../../../../packages', '../../../../../node_modules'];
const shell = '/bin/sh';
/** What Node needs before it has read anything: thread stacks and its own code. */
const besideHeapMb = 512;

/**
 * How the child is started. Node's permissions keep it away from files, other processes and native code. The shell's limits
 * hold even if the service is no longer there to end it: no written files, no core dump, bounded memory (buffers are outside
 * the heap) and processor time, which is doubled because it counts all threads.
 */
export function childCommand({ timeMs, memoryMb }: ExtractionLimits, entry = usualEntry): ChildCommand {
  const node = [
    `--max-old-space-size=${memoryMb}`,
    '--permission',
    ...readableFolders().map((folder) => `--allow-fs-read=${folder}`),
    '--disallow-code-generation-from-strings',
    '--disable-warning=ExperimentalWarning',
    entry,
  ];
  if (!existsSync(shell)) return { program: process.execPath, parameters: node };
  const seconds = Math.ceil(timeMs / 1000) * 2;
  const kilobytes = (memoryMb + besideHeapMb) * 1024;
  const limits = [`-S -t ${seconds}`, `-H -t ${seconds + 5}`, `-d ${kilobytes}`, '-f 0', '-c 0'];
  // A limit that the system does not support, or that is already lower, must not prevent the start.
  const script = `${limits.map((limit) => `ulimit ${limit} 2>/dev/null`).join('; ')}; unset PWD OLDPWD SHLVL; exec "$0" "$@"`;
  return { program: shell, parameters: ['-c', script, process.execPath, ...node] };
}

/** Includes the real paths, because packages may be symbolic links. The published package may have no node_modules of its own. */
function readableFolders(): string[] {
  const folders = readable
    .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
    .filter(existsSync);
  return [...new Set(folders.flatMap((folder) => [folder, realpathSync(folder)]))];
}
