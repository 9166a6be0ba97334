import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/**
 * Identifies a machine's boot and the process namespace: among nodes with the same value, a process id that does not exist
 * belongs to a process that has ended. Undefined where this cannot be determined, as outside Linux.
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
    // A sandbox without these files: nodes then count as lost only when their heartbeat expires.
    return undefined;
  }
}
