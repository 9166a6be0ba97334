export interface Shares {
  /** The number of running jobs per workspace. */
  running: ReadonlyMap<string, number>;
  perWorkspace: number;
  /** Whether a workspace without running jobs may have a waiting one. */
  mayHaveOthers: boolean;
}

/**
 * Which workspaces to skip in each lookup for the next job: first all with running jobs, then those with more running jobs
 * than the least, then only those that have their full share. So the workspace with the fewest running jobs comes first,
 * and none takes all the concurrency.
 */
export function workspacesToSkip({ running, perWorkspace, mayHaveOthers }: Shares): string[][] {
  const least = Math.min(...running.values());
  const from = (count: number) =>
    [...running]
      .filter(([, runs]) => runs >= count || runs >= perWorkspace)
      .map(([workspaceId]) => workspaceId);
  const lookups = [...(mayHaveOthers ? [from(1)] : []), from(least + 1), from(perWorkspace)];
  // A lookup that would find the same jobs as the next one is left out.
  return lookups.filter((skipped, place) => skipped.length !== lookups[place + 1]?.length);
}
