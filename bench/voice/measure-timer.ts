import { createPacer } from '../../packages/server/src/voice/audio/pacer.ts';
import { pacingOf } from './caller/pacing-of.ts';

/** How uneven a timer of 20 ms is in this process, which does nothing else: the noise of the machine. Measures until it is ended. */
export function measureTimer(): () => number[] {
  const ticks: { at: number; place: number }[] = [];
  let place = 0;
  const stop = createPacer({
    onError(error) {
      throw error;
    },
  }).add({
    play(frames) {
      place += 20 * frames;
      ticks.push({ at: performance.now(), place });
    },
    listen: () => undefined,
  });
  return () => {
    stop();
    return pacingOf(ticks).pacing;
  };
}
