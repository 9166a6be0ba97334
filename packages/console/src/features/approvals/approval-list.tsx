import type { ApprovalDetail } from '@svc/contract/approvals';
import type { ReactNode } from 'react';
import { PageLink } from '../../app/workspace.tsx';
import { classes } from '../../kit/classes.ts';
import { TimeAgo, VisibleText } from '../../kit/labels.tsx';
import { ApprovalState, ChangedArguments } from './approval-outcome.tsx';
import { inOneLine } from './changed-arguments.ts';

interface ApprovalListProps {
  label: string;
  approvals: readonly ApprovalDetail[];
  selectedId: string | undefined;
  search: Record<string, string | undefined>;
  /** Below the rows: a button that reads more. */
  after?: ReactNode;
}

export function ApprovalList({ label, approvals, selectedId, search, after }: ApprovalListProps) {
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
  const { tool_name: tool, bot_name: bot, status, resolved_by_name: name } = approval;
  const isPending = status === 'pending';
  return (
    <>
      <span className="flex items-baseline gap-3">
        <span className="min-w-0 flex-1 truncate font-medium font-mono text-sm">
          <VisibleText text={tool} />
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
        <VisibleText text={summaryOf(approval)} />
      </span>
      {!isPending && (
        <span className="flex flex-wrap items-center gap-x-1.5 text-ink-2 text-sm">
          <ApprovalState status={status} />
          {name && <span>by {name}</span>}
        </span>
      )}
      {status === 'approved_edited' && <ChangedArguments approval={approval} limit={3} />}
    </>
  );
}

/** One line of the thing itself. */
function summaryOf({ context, arguments: given }: ApprovalDetail): string {
  if (context.kind === 'diff') return context.path;
  if (context.kind === 'command') return context.command.split('\n', 1)[0] ?? '';
  return Object.entries(given)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : inOneLine(value)}`)
    .join(', ')
    .slice(0, 200);
}
