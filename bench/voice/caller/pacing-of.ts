import { median } from '../../support/numbers.ts';
import type { CallsOutcome } from './job.ts';
import type { Phone } from './phone.ts';

/** How evenly packets came: each beside its place in a stream that is neither early nor late on the whole. */
export function pacingOf(packets: Phone['packets']): Pick<CallsOutcome, 'pacing' | 'gaps'> {
  const offsets = packets.map(({ at, place }) => at - place);
  const usual = median(offsets);
  const gaps = packets.slice(1).map(({ at }, index) => at - (packets[index]?.at ?? at));
  return {
    pacing: offsets.map((offset) => Math.abs(offset - usual)),
    gaps: [gaps.reduce((longest, gap) => Math.max(longest, gap), 0)],
  };
}
