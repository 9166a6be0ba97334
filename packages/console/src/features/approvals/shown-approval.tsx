import { ApiError } from '@svc/client/api-error';
import type { ApprovalDetail } from '@svc/contract/approvals';
import { useQuery } from '@tanstack/react-query';
import { type Ref, useEffect, useRef } from 'react';
import { approvalQuery } from '../../api/approvals.ts';
import { TextLink, useWorkspace } from '../../app/workspace.tsx';
import { Bar, EmptyState, InlineError, Loading } from '../../kit/placeholders.tsx';
import { ApprovalCard, type ApprovalCardHandle } from './approval-card.tsx';

interface ShownApprovalProps {
  id: string;
  /** As the list contains it, if it does. */
  known: ApprovalDetail | undefined;
  cardRef?: Ref<ApprovalCardHandle>;
}

/** The approval of the address. It stays when somebody else answers it. */
export function ShownApproval({ id, known, cardRef }: ShownApprovalProps) {
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
