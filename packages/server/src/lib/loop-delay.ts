import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The time between two measurements. Node reports it as part of every delay. */
const resolutionMilliseconds = 10;
/** It is measured for as long as somebody looks. */
const forgottenMilliseconds = 60_000;

/** How late the event loop is. It is measured from the first reading on, until there was none for a minute. */
export function createLoopDelay() {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;
  let forgetting: NodeJS.Timeout | undefined;

  function stop(): void {
    clearTimeout(forgetting);
    histogram?.disable();
    histogram = undefined;
  }

  return {
    /** The 99th percentile since the last reading, in milliseconds; null at the first one. */
    read(): number | null {
      clearTimeout(forgetting);
      forgetting = setTimeout(stop, forgottenMilliseconds).unref();
      if (!histogram) {
        histogram = monitorEventLoopDelay({ resolution: resolutionMilliseconds });
        histogram.enable();
        return null;
      }
      const nanoseconds = histogram.percentile(99);
      histogram.reset();
      return toDelay(nanoseconds);
    },
    stop,
  };
}

/** Milliseconds that the loop was late, rounded to tenths, from what Node has measured. */
export function toDelay(nanoseconds: number): number {
  return Math.max(0, Math.round((nanoseconds - resolutionMilliseconds * 1e6) / 100_000) / 10);
}
