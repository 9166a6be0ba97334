import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Hand } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { type ApprovalFilter, maxPendingShown, pendingApprovalsQuery } from '../../api/approvals.ts';
import { useShortcuts } from '../../app/shortcuts/use-shortcuts.ts';
import { TextLink, useGo, useWorkspace } from '../../app/workspace.tsx';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { EmptyState, LoadError, RowsLoading } from '../../kit/placeholders.tsx';
import type { ApprovalCardHandle } from './approval-card.tsx';
import { ApprovalList } from './approval-list.tsx';
import { ShownApproval } from './shown-approval.tsx';
import { SplitView } from './split-view.tsx';

/** Oldest first. The address names the one that is shown, so that none moves away under a finger. */
export function PendingApprovals({ id, filter }: { id: string | undefined; filter: ApprovalFilter }) {
  const { api } = useWorkspace();
  const go = useGo();
  const search = { ...filter };
  const pending = useQuery({ ...pendingApprovalsQuery(api, filter), placeholderData: keepPreviousData });
  const card = useRef<ApprovalCardHandle>(null);
  const approvals = pending.data ?? [];
  const position = approvals.findIndex((approval) => approval.id === id);
  const next = approvals[position + 1]?.id;
  const previous = position > 0 ? approvals[position - 1]?.id : undefined;
  const first = approvals[0]?.id;

  const show = (wanted: string | undefined) => wanted && go(`/approvals/${wanted}`, search);
  useEffect(() => {
    if (id === undefined && first !== undefined) go(`/approvals/${first}`, search, { replace: true });
  });
  useShortcuts('This approval', [
    { keys: 'j', label: 'Next', run: () => show(next) },
    { keys: 'k', label: 'Previous', run: () => show(previous) },
    { keys: 'a', label: 'Approve, then Enter', run: () => card.current?.arm() },
    { keys: 'e', label: 'Edit', run: () => card.current?.edit() },
    { keys: 'd', label: 'Deny with a reason', run: () => card.current?.deny() },
  ]);

  if (pending.isPending) return <RowsLoading />;
  if (pending.isError) return <LoadError query={pending} className="p-4 md:p-6" />;
  if (approvals.length === 0 && id === undefined)
    return <NothingWaits isFiltered={Boolean(filter.bot ?? filter.tool)} />;
  return (
    <SplitView
      narrow="selected"
      list={
        <ApprovalList
          label="Waiting"
          approvals={approvals}
          selectedId={id}
          search={search}
          after={
            approvals.length === maxPendingShown && (
              <p className="px-6 py-3 text-ink-3 text-sm">The oldest {maxPendingShown} are shown.</p>
            )
          }
        />
      }
    >
      <nav aria-label="Waiting approvals" className="-mx-2 flex items-center gap-1 pb-2 lg:hidden">
        <IconButton
          label="Previous"
          icon={<ChevronLeft aria-hidden />}
          isDisabled={!previous}
          onPress={() => show(previous)}
        />
        <span className="text-ink-2 text-sm">{positionText(position, approvals.length)}</span>
        <IconButton
          label="Next"
          icon={<ChevronRight aria-hidden />}
          isDisabled={!next}
          onPress={() => show(next)}
        />
      </nav>
      {id !== undefined && <ShownApproval id={id} known={approvals[position]} cardRef={card} />}
      {id !== undefined && position < 0 && (
        <p className="flex flex-wrap items-center gap-3 pb-4 text-ink-2">
          {next === undefined ? (
            'Nothing else waits for you.'
          ) : (
            <Button look="primary" icon={<ChevronRight aria-hidden />} onPress={() => show(next)}>
              Next: {approvals[0]?.tool_name}
            </Button>
          )}
        </p>
      )}
    </SplitView>
  );
}

function positionText(position: number, count: number): string {
  return position < 0 ? `${count} waiting` : `${position + 1} of ${count}`;
}

function NothingWaits({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState
        title="Nothing with these filters waits"
        action={<TextLink path="/approvals">Clear the filters</TextLink>}
      />
    );
  }
  return (
    <EmptyState
      icon={<Hand aria-hidden />}
      title="Nothing waits for you"
      action={<TextLink path="/tools">Choose which tools ask first</TextLink>}
    >
      When a bot wants to call a tool that asks first, such as a refund or a command on a machine, it appears
      here.
    </EmptyState>
  );
}
