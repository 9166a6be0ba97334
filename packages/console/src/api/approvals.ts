import type { ApprovalAnswer, ApprovalDetail, ApprovalResponse } from '@svc/contract/approvals';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, paged } from './client.ts';
import { keys } from './keys.ts';

export interface ApprovalFilter {
  bot?: string | undefined;
  tool?: string | undefined;
}

/** More than these are not decided in one sitting; the list says so. */
export const maxPendingShown = 200;

/** Oldest first. */
export function pendingApprovalsQuery(api: Api, { bot, tool }: ApprovalFilter = {}) {
  const filter = { status: 'pending', bot_id: bot, tool };
  return queryOptions({
    queryKey: keys.list(api.workspaceId, 'approval', filter),
    queryFn: ({ signal }) =>
      api.get<ApprovalDetail[]>('/api/v1/hitl', { ...filter, limit: maxPendingShown }, signal),
  });
}

/** Newest answer first. */
export function resolvedApprovalsQuery(api: Api, { bot, tool }: ApprovalFilter = {}) {
  const filter = { status: 'resolved', bot_id: bot, tool };
  return infiniteQueryOptions({
    queryKey: keys.list(api.workspaceId, 'approval', filter),
    queryFn: ({ pageParam, signal }) =>
      api.page<ApprovalDetail>('/api/v1/hitl', { ...filter, before: pageParam }, signal),
    ...paged,
  });
}

export function approvalQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: keys.one(api.workspaceId, 'approval', id),
    queryFn: ({ signal }) => api.get<ApprovalDetail>(`/api/v1/hitl/${id}`, undefined, signal),
  });
}

/** Sent once, however often it is repeated with this key. */
export function answerApproval(
  api: Api,
  id: string,
  response: ApprovalResponse,
  idempotencyKey: string,
): Promise<ApprovalAnswer> {
  return api.post<ApprovalAnswer>(`/api/v1/hitl/${id}/respond`, response, { idempotencyKey });
}

/** Shows a decision that is stored, before the lists are read again. */
export function showDecision(
  client: QueryClient,
  { workspaceId }: Api,
  id: string,
  decision: Partial<ApprovalDetail>,
): void {
  client.setQueryData<ApprovalDetail>(
    keys.one(workspaceId, 'approval', id),
    (known) => known && { ...known, ...decision },
  );
  void client.invalidateQueries({ queryKey: keys.lists(workspaceId, 'approval') });
  void client.invalidateQueries({ queryKey: keys.one(workspaceId, 'approval', id) });
}
