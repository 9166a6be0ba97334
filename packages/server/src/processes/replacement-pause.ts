/** A process that ran for this long was sound: its end says nothing about the next one. */
const soundMilliseconds = 60_000;
const firstPauseMilliseconds = 1_000;
const maxPauseMilliseconds = 30_000;

/** The first failure is repaired at once; processes that fail soon after their start are started ever less often. */
export function createReplacementPause() {
  let failures = 0;
  return {
    /** How long to wait before the next process starts, in milliseconds, after one that ran for this long has failed. */
    afterFailure(ranMilliseconds: number): number {
      failures = ranMilliseconds >= soundMilliseconds ? 1 : failures + 1;
      if (failures === 1) return 0;
      return Math.min(firstPauseMilliseconds * 2 ** (failures - 2), maxPauseMilliseconds);
    },
  };
}
