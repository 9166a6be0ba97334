import type { UsageReport } from '@svc/contract/usage';
import { formatUsd, parseUsd } from '../../lib/money.ts';

export const paceDays = 7;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The average of the last days, and how long a balance lasts at this pace. */
export function paceOf(
  { costUsd, firstAt }: { costUsd: string; firstAt: Date | null },
  balanceUsd: string | null,
  now: Date,
): Pick<UsageReport, 'usd_per_day' | 'days_left'> {
  if (!firstAt) return { usd_per_day: '0', days_left: null };
  // A workspace that is younger than the period is not made to look cheaper than it is.
  const days = Math.min(
    paceDays,
    Math.max(1, Math.ceil((now.getTime() - firstAt.getTime()) / dayMilliseconds)),
  );
  const perDay = parseUsd(costUsd) / BigInt(days);
  const balance = balanceUsd === null ? null : parseUsd(balanceUsd);
  const lasts =
    balance === null || perDay === 0n ? null : balance <= 0n ? 0 : Number(balance) / Number(perDay);
  return { usd_per_day: formatUsd(perDay), days_left: lasts === null ? null : Math.round(lasts * 10) / 10 };
}
