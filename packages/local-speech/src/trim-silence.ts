/** Below this a sample counts as silence: 40 dB below the loudest possible. */
const audible = 328;
const keptBeforeMs = 20;
/** The pause after a sentence. */
const keptAfterMs = 150;

/** Removes most of the silence that programs speak before and after a sentence: a fifth of a second that a caller waits. */
export function trimSilence(samples: Int16Array, sampleRate: number): Int16Array {
  const isAudible = (sample: number) => Math.abs(sample) > audible;
  const first = samples.findIndex(isAudible);
  if (first === -1) return new Int16Array();
  const last = samples.findLastIndex(isAudible);
  const start = Math.max(0, first - Math.round((keptBeforeMs * sampleRate) / 1_000));
  return samples.slice(start, last + 1 + Math.round((keptAfterMs * sampleRate) / 1_000));
}
