export interface FairQueue<Job> {
  /** False when there is no room. */
  add(owner: string, job: Job): boolean;
  /** The next job of the owner whose turn it is, passing over those who are busy. */
  take(isBusy: (owner: string) => boolean): { owner: string; job: Job } | undefined;
  /** Everything that waits. */
  drain(): Job[];
}

/** Owners take turns, so that one who brings many jobs, or slow ones, delays the others by one of them. */
export function createFairQueue<Job>(limits: { perOwner: number; total: number }): FairQueue<Job> {
  // A map keeps the order in which its keys were put in: whoever was served goes to the end.
  const waiting = new Map<string, Job[]>();
  let total = 0;
  return {
    add(owner, job) {
      const jobs = waiting.get(owner) ?? [];
      if (jobs.length >= limits.perOwner || total >= limits.total) return false;
      waiting.set(owner, jobs);
      jobs.push(job);
      total += 1;
      return true;
    },
    take(isBusy) {
      for (const [owner, jobs] of waiting) {
        if (isBusy(owner)) continue;
        const job = jobs.shift() as Job;
        total -= 1;
        waiting.delete(owner);
        if (jobs.length > 0) waiting.set(owner, jobs);
        return { owner, job };
      }
      return undefined;
    },
    drain() {
      const jobs = [...waiting.values()].flat();
      waiting.clear();
      total = 0;
      return jobs;
    },
  };
}
