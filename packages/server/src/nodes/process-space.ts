import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/**
 * Names the boot of a machine and the process namespace in it: among nodes of the same name, a process id that is not there
 * belongs to a process that has ended. Undefined where there is no such name, as outside Linux.
 */
export async function readProcessSpace(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const [boot, namespace] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
    ]);
    return `${hostname()} ${boot.trim()} ${namespace}`;
  } catch {
    // A sandbox without these files: nodes are then known to be gone when they are no longer seen.
    return undefined;
  }
}
