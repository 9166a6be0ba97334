/** A process that is running now. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** Its environment has the marker of the command. */
  isMarked: boolean;
}

/**
 * The processes of a command: it, its group, its descendants and those with its marker, with their descendants. A process
 * that left the group and whose parent ended is found by its marker alone.
 */
export function selectTree(processes: readonly ProcessEntry[], pid: number | undefined): number[] {
  const found = new Set(
    processes
      .filter((entry) => entry.isMarked || entry.pid === pid || entry.group === pid)
      .map((entry) => entry.pid),
  );
  for (let sizeBefore = -1; sizeBefore !== found.size; ) {
    sizeBefore = found.size;
    for (const { pid: child, parent } of processes) if (found.has(parent)) found.add(child);
  }
  // The daemon's own number can only be here if a command copied a marker that is not its own.
  found.delete(process.pid);
  return [...found];
}
