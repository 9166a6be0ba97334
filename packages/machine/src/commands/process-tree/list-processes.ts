import { listOnLinux } from './list-on-linux.ts';
import { listWithPs } from './list-with-ps.ts';
import type { ProcessEntry } from './process-entry.ts';

/** All processes of this machine; those that have ended but were not collected by their parent are left out. */
export function listProcesses(marker: string): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listOnLinux(marker) : listWithPs(marker);
}
