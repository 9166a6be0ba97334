import type { Overview } from '@svc/contract/console-conversations';
import { useQuery } from '@tanstack/react-query';
import { pendingApprovalsQuery } from '../../api/approvals.ts';
import { overviewQuery } from '../../api/overview.ts';
import { PageLink, useWorkspace } from '../../app/workspace.tsx';
import { today as dayInUtc } from '../../format/days.ts';
import { money, plural } from '../../format/numbers.ts';
import { Page } from '../../kit/page.tsx';
import { LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { SetUpList } from './set-up-list.tsx';
import { WaitingSection } from './waiting-section.tsx';
import { FailedSection, RunningSection } from './work-sections.tsx';

/** Is anything waiting, running or broken? */
export function OverviewPage() {
  const { api } = useWorkspace();
  const overview = useQuery(overviewQuery(api));
  const approvals = useQuery(pendingApprovalsQuery(api));
  // Before there is a bot, nothing else can be here.
  const isFirstDay = overview.data?.setup.bot === false;
  const failed = overview.isError ? overview : approvals.isError ? approvals : undefined;
  return (
    <Page title="Overview">
      {failed && <LoadError query={failed} />}
      {overview.data && approvals.data ? (
        <div className="bg-surface">
          {isFirstDay && <SetUpList setup={overview.data.setup} />}
          <WaitingSection approvals={approvals.data} overview={overview.data} />
          <div className="xl:grid xl:grid-cols-2 xl:divide-x xl:divide-line">
            <RunningSection items={overview.data.running} count={overview.data.running_count} />
            <FailedSection items={overview.data.failed} count={overview.data.failed_count} />
          </div>
          <TodayLine today={overview.data.today} balance={overview.data.balance} />
          {!isFirstDay && <SetUpList setup={overview.data.setup} />}
        </div>
      ) : (
        !failed && <RowsLoading rows={6} />
      )}
    </Page>
  );
}

/** What today, a day of UTC as in the usage, was like so far, in one line; each number leads to what is behind it. */
function TodayLine({ today, balance }: Pick<Overview, 'today' | 'balance'>) {
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
