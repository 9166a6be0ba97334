export interface TokenBucketOptions {
  perSecond: number;
  /** What may be taken without a pause after a quiet time. */
  capacity: number;
  now?: () => number;
}

/** Limits a rate: the bucket fills at `perSecond` up to its capacity. */
export function createTokenBucket({
  perSecond,
  capacity,
  now = () => performance.now(),
}: TokenBucketOptions) {
  let level = capacity;
  let filledAt = now();

  function fill(): void {
    const time = now();
    level = Math.min(capacity, level + ((time - filledAt) / 1000) * perSecond);
    filledAt = time;
  }

  return {
    /** Takes this much, and returns how many milliseconds to wait until the bucket is no longer overdrawn. */
    take(amount: number): number {
      fill();
      level -= amount;
      return level >= 0 ? 0 : (-level / perSecond) * 1000;
    },
    /** Takes this much only if the bucket holds it. */
    tryTake(amount: number): boolean {
      fill();
      if (level < amount) return false;
      level -= amount;
      return true;
    },
  };
}
