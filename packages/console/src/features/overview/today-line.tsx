import type { Overview } from '@svc/contract/console-conversations';
import { Place } from '../../app/places.tsx';
import { today as dayInUtc } from '../../format/days.ts';
import { money, plural } from '../../format/numbers.ts';
import { StateBadge } from '../../kit/state-badge.tsx';

/** What today, a day of UTC as in the usage, was like so far, in one line; each number leads to what is behind it. */
export function TodayLine({ today, balance }: Pick<Overview, 'today' | 'balance'>) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-3 text-ink-2 tabular-nums md:px-6">
      <span className="font-semibold text-ink">Today</span>
      <Place
        path="/conversations"
        search={{ from: `${dayInUtc()}T00:00:00.000Z` }}
        className="hover:underline"
      >
        {plural(today.conversations, 'conversation')}
      </Place>
      <span aria-hidden>·</span>
      <Place path="/usage" className="hover:underline">
        {money(today.cost_usd)}
      </Place>
      {balance?.is_low && (
        <Place path="/usage" className="ml-auto hover:underline">
          <StateBadge
            state="warning"
            text={`${money(balance.left_usd)} of ${money(balance.credit_usd)} left`}
            isFilled
          />
        </Place>
      )}
    </p>
  );
}
