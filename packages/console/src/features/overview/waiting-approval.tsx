import type { ApprovalDetail } from '@svc/contract/approvals';
import { ChevronRight } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { classes } from '../../kit/classes.ts';
import { Bar } from '../../kit/placeholders.tsx';
import { itemRow, RowParts } from './item-row.tsx';

const ApprovalCard = lazy(async () => ({
  default: (await import('../approvals/approval-card.tsx')).ApprovalCard,
}));

/** A call that waits for a decision. A press shows all of it below, where it is answered. */
export function WaitingApproval({ approval }: { approval: ApprovalDetail }) {
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  return (
    <li className="border-line border-t first:border-t-0">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => setOpen(!isOpen)}
        className={classes(itemRow, 'w-full text-left')}
      >
        <RowParts
          state="paused"
          stateText="Waits for approval"
          title={approval.tool_name}
          owner={approval.bot_name ?? null}
          detail={summaryOf(approval)}
          at={approval.created_at}
        />
        <ChevronRight
          aria-hidden
          className={classes('size-4 shrink-0 text-ink-3 transition', isOpen && 'rotate-90')}
        />
      </button>
      {isOpen && (
        <div id={details} className="border-line border-t bg-canvas px-4 py-4 md:px-6">
          <Suspense fallback={<Bar className="h-24 w-full" />}>
            <ApprovalCard approval={approval} />
          </Suspense>
        </div>
      )}
    </li>
  );
}

function summaryOf({ context }: ApprovalDetail): string {
  if (context.kind === 'command') return context.command;
  return context.kind === 'diff' ? context.path : context.summary;
}
