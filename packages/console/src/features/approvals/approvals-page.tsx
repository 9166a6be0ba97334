import { ApiError } from '@svc/client/api-error';
import type { ApprovalDetail } from '@svc/contract/approvals';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Hand } from 'lucide-react';
import { type ReactNode, type Ref, useEffect, useRef } from 'react';
import {
  type ApprovalFilter,
  approvalQuery,
  maxPendingShown,
  pendingApprovalsQuery,
  resolvedApprovalsQuery,
} from '../../api/approvals.ts';
import { useShortcuts } from '../../app/shortcuts/use-shortcuts.ts';
import { useToolNames } from '../../app/tool-names.ts';
import { useWaiting } from '../../app/use-waiting.ts';
import { PageLink, TextLink, useGo, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { personName } from '../../format/person-name.ts';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { Select } from '../../kit/fields.tsx';
import { TimeAgo, VisibleText } from '../../kit/labels.tsx';
import { Page } from '../../kit/page.tsx';
import {
  Bar,
  EmptyState,
  InlineError,
  LoadError,
  Loading,
  RowsLoading,
  ShowMore,
} from '../../kit/placeholders.tsx';
import { PageTabs } from '../../kit/tabs.tsx';
import { ApprovalCard, type ApprovalCardHandle } from './approval-card.tsx';
import { ApprovalState, ChangedArguments } from './approval-outcome.tsx';
import { callInOneLine } from './changed-arguments.ts';
import { StandingApprovals } from './standing-approvals.tsx';

/** Everything that waits for a decision, and what was decided. */
export function ApprovalsPage() {
  const { id: workspaceId } = useWorkspace();
  const { approval }: { approval?: string } = useParams({ strict: false });
  const [{ status, bot, tool }] = useSearchState();
  const { approvals } = useWaiting();
  const filter = { bot, tool };
  const isAnswered = status === 'resolved';
  const isAllowed = status === 'allowed';
  const path = `/w/${workspaceId}/approvals`;
  return (
    <Page
      title="Approvals"
      isFixed
      actions={
        isAllowed ? undefined : (
          <ApprovalFilters isAnswered={isAnswered} isHiddenOnPhones={!isAnswered || approval !== undefined} />
        )
      }
      below={
        <PageTabs
          label="Approvals"
          current={currentTab(status)}
          tabs={[
            { id: 'waiting', label: 'Waiting', count: approvals, to: path },
            { id: 'answered', label: 'Answered', to: path, search: { status: 'resolved' } },
            { id: 'allowed', label: 'Allowed', to: path, search: { status: 'allowed' } },
          ]}
        />
      }
    >
      {isAllowed && <StandingApprovals />}
      {isAnswered && <AnsweredApprovals id={approval} filter={filter} />}
      {!isAllowed && !isAnswered && <PendingApprovals id={approval} filter={filter} />}
    </Page>
  );
}

function currentTab(status: string | undefined): string {
  if (status === 'allowed') return 'allowed';
  return status === 'resolved' ? 'answered' : 'waiting';
}

const every = '';

/** By bot and by tool, of those that occur. */
function ApprovalFilters({
  isAnswered,
  isHiddenOnPhones,
}: {
  isAnswered: boolean;
  /** One approval takes the whole screen there. */
  isHiddenOnPhones: boolean;
}) {
  const { api } = useWorkspace();
  const [{ bot, tool }, change] = useSearchState();
  const toolNameOf = useToolNames();
  const pending = useQuery({ ...pendingApprovalsQuery(api), enabled: !isAnswered });
  const resolved = useInfiniteQuery({ ...resolvedApprovalsQuery(api), enabled: isAnswered });
  const known = isAnswered ? resolved.data?.pages.flatMap(({ items }) => items) : pending.data;
  const bots = distinct(known, (approval) => [approval.bot_id, approval.bot_name ?? approval.bot_id], bot);
  const named = distinct(known, ({ tool_name: name }) => [name, name], tool);
  const tools = named.map(({ value }) => ({ value, label: toolNameOf(value) }));
  if (bots.length < 2 && tools.length < 2 && !bot && !tool) return null;
  return (
    <div className={classes('flex gap-2', isHiddenOnPhones && 'max-lg:hidden')}>
      <Select
        label="Bot"
        hideLabel
        className="w-40 max-sm:w-32"
        value={bot ?? every}
        options={[{ value: every, label: 'All bots' }, ...bots]}
        onChange={(value) => change({ bot: value || undefined })}
      />
      <Select
        label="Tool"
        hideLabel
        className="w-40 max-sm:w-32"
        value={tool ?? every}
        options={[{ value: every, label: 'All tools' }, ...tools]}
        onChange={(value) => change({ tool: value || undefined })}
      />
    </div>
  );
}

/** The values that occur, and the one that is selected even if it does not. */
function distinct(
  approvals: readonly ApprovalDetail[] | undefined,
  of: (approval: ApprovalDetail) => [value: string, label: string],
  selected: string | undefined,
): { value: string; label: string }[] {
  const found = new Map(selected ? [[selected, selected]] : []);
  for (const approval of approvals ?? []) found.set(...of(approval));
  return [...found]
    .map(([value, label]) => ({ value, label }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
}

/** Past decisions, newest first. */
function AnsweredApprovals({ id, filter }: { id: string | undefined; filter: ApprovalFilter }) {
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

/** Oldest first. The address names the one that is shown, so that none moves away under a finger. */
function PendingApprovals({ id, filter }: { id: string | undefined; filter: ApprovalFilter }) {
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
              Next: <VisibleText text={approvals[0]?.title ?? approvals[0]?.tool_name ?? ''} />
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

/** A list beside what is selected in it; on narrow screens one of them. */
function SplitView({
  list,
  children,
  narrow,
}: {
  list: ReactNode;
  children: ReactNode;
  /** What narrow screens show. */
  narrow: 'list' | 'selected';
}) {
  return (
    <div className="flex h-full min-h-0">
      <div
        className={classes(
          'min-h-0 overflow-y-auto border-line lg:w-80 lg:shrink-0 lg:border-r xl:w-96',
          narrow === 'list' ? 'max-lg:flex-1' : 'max-lg:hidden',
        )}
      >
        {list}
      </div>
      <div
        className={classes(
          'min-h-0 min-w-0 flex-1 overflow-y-auto px-4 pt-3 md:px-6',
          narrow === 'list' && 'max-lg:hidden',
        )}
      >
        {children}
      </div>
    </div>
  );
}

interface ShownApprovalProps {
  id: string;
  /** As the list contains it, if it does. */
  known: ApprovalDetail | undefined;
  cardRef?: Ref<ApprovalCardHandle>;
}

/** The approval of the address. It stays when somebody else answers it. */
function ShownApproval({ id, known, cardRef }: ShownApprovalProps) {
  const { api } = useWorkspace();
  const approval = useQuery({ ...approvalQuery(api, id), ...(known && { initialData: known }) });
  const frame = useRef<HTMLDivElement>(null);
  const isShown = approval.data !== undefined;
  useEffect(() => {
    // The focus was on a button of the card before.
    if (isShown && document.activeElement === document.body) {
      frame.current?.querySelector<HTMLElement>('[data-approval-title]')?.focus({ preventScroll: true });
    }
  }, [id, isShown]);
  if (approval.isPending) {
    return (
      <Loading>
        <div className="flex flex-col gap-3">
          <Bar className="h-6 w-48" />
          <Bar className="h-24 w-full" />
          <Bar className="w-2/3" />
        </div>
      </Loading>
    );
  }
  if (approval.isError) {
    if (approval.error instanceof ApiError && approval.error.status === 404) {
      return (
        <EmptyState
          title="This approval does not exist"
          action={<TextLink path="/approvals">Show what is waiting</TextLink>}
        >
          Its conversation may have been deleted or truncated.
        </EmptyState>
      );
    }
    return <InlineError error={approval.error} onRetry={() => void approval.refetch()} />;
  }
  return (
    <div ref={frame} className="pb-4">
      <ApprovalCard key={id} approval={approval.data} {...(cardRef && { ref: cardRef })} />
    </div>
  );
}

interface ApprovalListProps {
  label: string;
  approvals: readonly ApprovalDetail[];
  selectedId: string | undefined;
  search: Record<string, string | undefined>;
  /** Below the rows: a button that reads more. */
  after?: ReactNode;
}

function ApprovalList({ label, approvals, selectedId, search, after }: ApprovalListProps) {
  return (
    <>
      <ul aria-label={label}>
        {approvals.map((approval) => (
          <li key={approval.id} className="border-line border-b">
            <PageLink
              path={`/approvals/${approval.id}`}
              search={search}
              aria-current={approval.id === selectedId ? 'true' : undefined}
              className={classes(
                'flex flex-col gap-0.5 px-4 py-2 md:pl-6',
                approval.id === selectedId ? 'bg-selected' : 'hover:bg-hover',
              )}
            >
              <Row approval={approval} />
            </PageLink>
          </li>
        ))}
      </ul>
      {after}
    </>
  );
}

function Row({ approval }: { approval: ApprovalDetail }) {
  const { title, bot_name: bot, status, resolved_by_name: name, external_user_id: user } = approval;
  const isPending = status === 'pending';
  return (
    <>
      <span className="flex items-baseline gap-3">
        <span dir="auto" className="min-w-0 flex-1 truncate font-medium text-sm">
          <VisibleText text={title ?? approval.tool_name} />
        </span>
        <TimeAgo at={approval.resolved_at ?? approval.created_at} className="shrink-0 text-ink-3 text-xs" />
      </span>
      <span className="truncate text-ink-2 text-sm">
        {bot && (
          <>
            <VisibleText text={bot} /> ·{' '}
          </>
        )}
        {approval.channel === 'test' && 'test of a draft · '}
        {user && approval.channel !== 'test' && (
          <>
            <VisibleText text={personName(user, approval.user_name)} /> ·{' '}
          </>
        )}
        <VisibleText text={callInOneLine(approval)} />
      </span>
      {!isPending && (
        <span className="flex flex-wrap items-center gap-x-1.5 text-ink-2 text-sm">
          <ApprovalState approval={approval} />
          {name && <span>by {name}</span>}
        </span>
      )}
      {status === 'approved_edited' && <ChangedArguments approval={approval} limit={3} />}
    </>
  );
}
