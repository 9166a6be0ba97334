import type { Overview } from '@svc/contract/console-conversations';
import { PageLink } from '../../app/page-links.tsx';
import { today as dayInUtc } from '../../format/days.ts';
import { money, plural } from '../../format/numbers.ts';
import { StateBadge } from '../../kit/state-badge.tsx';

/** What today, a day of UTC as in the usage, was like so far, in one line; each number leads to what is behind it. */
export function TodayLine({ today, balance }: Pick<Overview, 'today' | 'balance'>) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-3 text-ink-2 tabular-nums md:px-6">
      <span className="font-semibold text-ink">Today</span>
      <PageLink
        path="/conversations"
        search={{ from: `${dayInUtc()}T00:00:00.000Z` }}
        className="hover:underline"
      >
        {plural(today.conversations, 'conversation')}
      </PageLink>
      <span aria-hidden>·</span>
      <PageLink path="/usage" className="hover:underline">
        {money(today.cost_usd)}
      </PageLink>
      {balance?.is_low && (
        <PageLink path="/usage" className="ml-auto hover:underline">
          <StateBadge
            state="warning"
            text={`${money(balance.left_usd)} of ${money(balance.credit_usd)} left`}
            isFilled
          />
        </PageLink>
      )}
    </p>
  );
}
