import type { NanoUsd } from '../money.ts';
import type { Quote } from './quote.ts';

/** Nobody takes more of a balance than this, beyond what is usual: others want to begin meanwhile. */
const shareOfBalance = 4n;

/** How much of a balance is set aside for something; undefined when that is too little to begin. */
export function grant(available: NanoUsd, { least, usual, most }: Quote): NanoUsd | undefined {
  if (most === 0n) return 0n;
  if (available < least) return undefined;
  const enough = usual < available ? usual : available;
  const share = available / shareOfBalance;
  const wanted = share > enough ? share : enough;
  return wanted < most ? wanted : most;
}
