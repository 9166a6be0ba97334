import { ApiError } from '@svc/client/api-error';
import { approvalTitle } from '@svc/contract/approval-title';
import type { Approval, ApprovalDetail, ApprovalResponse, ApprovalStatus } from '@svc/contract/approvals';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { answerApproval, showDecision } from '../../api/approvals.ts';
import { randomId } from '../../api/random-id.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { serverNow } from '../../format/server-time.ts';
import { announce } from '../../kit/announce.ts';
import { messageOf } from '../../kit/placeholders.tsx';

const spoken: Partial<Record<ApprovalStatus, string>> = {
  approved: 'Approved.',
  approved_edited: 'Approved with changes.',
  denied: 'Denied.',
};

/** Sends an answer. Whether it counts or another one was first, the card then shows the stored decision. */
export function useAnswer(approval: Approval) {
  const { id } = approval;
  const { api, user } = useWorkspace();
  const client = useQueryClient();
  // A repeat after a lost connection must not become a second answer.
  const sent = useRef<{ body: string; key: string } | undefined>(undefined);
  const [decision, setDecision] = useState<Partial<ApprovalDetail>>();
  const mutation = useMutation({
    mutationFn: (response: ApprovalResponse) => {
      const body = JSON.stringify(response);
      if (sent.current?.body !== body) sent.current = { body, key: randomId() };
      return answerApproval(api, id, response, sent.current.key);
    },
    onSuccess: ({ status }, response) => {
      show({
        status,
        resolved_at: new Date(serverNow()).toISOString(),
        resolved_by: `member:${user.id}`,
        resolved_by_name: user.name,
        reason: response.text ?? null,
        edited_arguments: response.edited_args ?? null,
        ...(response.edited_args && {
          title: approvalTitle({ ...approval, edited_arguments: response.edited_args }),
        }),
      });
      announce(spoken[status] ?? 'Answered.');
    },
    onError: (error) => {
      const stored = storedDecision(error);
      if (!stored) return;
      show(stored);
      announce(messageOf(error), 'assertive');
    },
  });
  return {
    ...mutation,
    /** What is stored, whoever was first; undefined until this is known. */
    decision,
    /** Somebody else was first. */
    isLost: storedDecision(mutation.error) !== undefined,
  };

  function show(stored: Partial<ApprovalDetail>): void {
    setDecision(stored);
    showDecision(client, api, id, stored);
  }
}

/** The decision that was first, if that is why an answer was not accepted. */
function storedDecision(error: unknown): Partial<ApprovalDetail> | undefined {
  if (!(error instanceof ApiError) || error.code !== 'ALREADY_RESOLVED') return undefined;
  return error.details[0] as Partial<ApprovalDetail> | undefined;
}
