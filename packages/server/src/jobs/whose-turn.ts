export interface Shares {
  /** How many jobs of each workspace run. */
  running: ReadonlyMap<string, number>;
  perWorkspace: number;
  /** Whether a workspace of which nothing runs may have a job that waits. */
  mayHaveOthers: boolean;
}

/**
 * Which workspaces are passed over when the next job is looked for, in the order of the looks: first all of which something
 * runs, then those with more than the least, then only those that have their full share. So a job of whoever has
 * least is taken before the thousandth of somebody else, and nobody gets all places.
 */
export function whomToPassOver({ running, perWorkspace, mayHaveOthers }: Shares): string[][] {
  const least = Math.min(...running.values());
  const from = (count: number) =>
    [...running]
      .filter(([, runs]) => runs >= count || runs >= perWorkspace)
      .map(([workspaceId]) => workspaceId);
  const looks = [...(mayHaveOthers ? [from(1)] : []), from(least + 1), from(perWorkspace)];
  // A look that would find nothing else than the one after it is left out.
  return looks.filter((look, place) => look.length !== looks[place + 1]?.length);
}
