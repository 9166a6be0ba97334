import { useParams } from '@tanstack/react-router';
import { useWaiting } from '../../app/use-waiting.ts';
import { useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { Page } from '../../kit/page.tsx';
import { PageTabs } from '../../kit/tabs.tsx';
import { AnsweredApprovals } from './answered-approvals.tsx';
import { ApprovalFilters } from './approval-filters.tsx';
import { PendingApprovals } from './pending-approvals.tsx';

/** Everything that waits for a decision, and what was decided. */
export function ApprovalsPage() {
  const { id: workspaceId } = useWorkspace();
  const { approval }: { approval?: string } = useParams({ strict: false });
  const [{ status, bot, tool }] = useSearchState();
  const { approvals } = useWaiting();
  const filter = { bot, tool };
  const isAnswered = status === 'resolved';
  const path = `/w/${workspaceId}/approvals`;
  return (
    <Page
      title="Approvals"
      isFixed
      actions={
        <ApprovalFilters isAnswered={isAnswered} isHiddenOnPhones={!isAnswered || approval !== undefined} />
      }
      below={
        <PageTabs
          label="Approvals"
          current={isAnswered ? 'answered' : 'waiting'}
          tabs={[
            { id: 'waiting', label: 'Waiting', count: approvals, to: path },
            { id: 'answered', label: 'Answered', to: path, search: { status: 'resolved' } },
          ]}
        />
      }
    >
      {isAnswered ? (
        <AnsweredApprovals id={approval} filter={filter} />
      ) : (
        <PendingApprovals id={approval} filter={filter} />
      )}
    </Page>
  );
}
