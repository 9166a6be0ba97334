import type { NanoUsd } from '../lib/money.ts';
import type { Quote } from './quote.ts';

/** Beyond the usual amount, one request gets at most this fraction of a balance, so that others can start at the same time. */
const shareOfBalance = 4n;

/** How much of a balance is set aside for a request; undefined when that is too little to start it. */
export function grant(available: NanoUsd, { least, usual, most }: Quote): NanoUsd | undefined {
  if (most === 0n) return 0n;
  if (available < least) return undefined;
  const enough = usual < available ? usual : available;
  const share = available / shareOfBalance;
  const wanted = share > enough ? share : enough;
  return wanted < most ? wanted : most;
}
