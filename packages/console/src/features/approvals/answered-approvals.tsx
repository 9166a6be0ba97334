import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronLeft } from 'lucide-react';
import { type ApprovalFilter, resolvedApprovalsQuery } from '../../api/approvals.ts';
import { useShortcuts } from '../../app/shortcuts/use-shortcuts.ts';
import { PageLink, TextLink, useGo, useWorkspace } from '../../app/workspace.tsx';
import { EmptyState, LoadError, RowsLoading, ShowMore } from '../../kit/placeholders.tsx';
import { ApprovalList } from './approval-list.tsx';
import { ShownApproval } from './shown-approval.tsx';
import { SplitView } from './split-view.tsx';

/** Past decisions, newest first. */
export function AnsweredApprovals({ id, filter }: { id: string | undefined; filter: ApprovalFilter }) {
  const { api } = useWorkspace();
  const go = useGo();
  const resolved = useInfiniteQuery(resolvedApprovalsQuery(api, filter));
  const approvals = resolved.data?.pages.flatMap(({ items }) => items) ?? [];
  const search = { status: 'resolved', ...filter };
  const position = approvals.findIndex((approval) => approval.id === id);

  function move(by: number): void {
    const wanted = approvals[position + by];
    if (wanted) go(`/approvals/${wanted.id}`, search);
  }
  useShortcuts('Answered approvals', [
    { keys: 'j', label: 'Next', run: () => move(1) },
    { keys: 'k', label: 'Previous', run: () => move(-1) },
  ]);

  if (resolved.isPending) return <RowsLoading />;
  if (resolved.isError) return <LoadError query={resolved} className="p-4 md:p-6" />;
  if (approvals.length === 0 && id === undefined) {
    return filter.bot || filter.tool ? (
      <EmptyState
        title="Nothing with these filters was answered"
        action={
          <TextLink path="/approvals" search={{ status: 'resolved' }}>
            Clear the filters
          </TextLink>
        }
      />
    ) : (
      <EmptyState title="Nothing was answered yet">
        Every decision is listed here, with the person who made it, the time, and what they changed.
      </EmptyState>
    );
  }
  return (
    <SplitView
      narrow={id === undefined ? 'list' : 'selected'}
      list={
        <ApprovalList
          label="Answered"
          approvals={approvals}
          selectedId={id}
          search={search}
          after={<ShowMore list={resolved} />}
        />
      }
    >
      {id === undefined ? (
        <p className="py-16 text-center text-ink-3">Select one to see exactly what was decided.</p>
      ) : (
        <>
          <PageLink
            path="/approvals"
            search={search}
            className="mb-2 -ml-1 flex w-fit items-center text-ink-2 text-sm lg:hidden pointer-coarse:min-h-11"
          >
            <ChevronLeft aria-hidden className="size-4" />
            Answered
          </PageLink>
          <ShownApproval id={id} known={approvals[position]} />
        </>
      )}
    </SplitView>
  );
}
