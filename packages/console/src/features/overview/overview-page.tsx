import { useQuery } from '@tanstack/react-query';
import { pendingApprovalsQuery } from '../../api/approvals.ts';
import { overviewQuery } from '../../api/overview.ts';
import { useWorkspace } from '../../app/workspace-context.tsx';
import { InlineError } from '../../kit/inline-error.tsx';
import { Page } from '../../kit/page.tsx';
import { RowsLoading } from '../../kit/skeleton.tsx';
import { SetUpList } from './set-up-list.tsx';
import { TodayLine } from './today-line.tsx';
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
      {failed && (
        <div className="p-4 md:px-6">
          <InlineError error={failed.error} onRetry={() => void failed.refetch()} />
        </div>
      )}
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
