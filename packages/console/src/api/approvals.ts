import type { ApprovalGrant } from '@svc/contract/approval-grants';
import type { ApprovalAnswer, ApprovalDetail, ApprovalResponse } from '@svc/contract/approvals';
import type { ToolGrant } from '@svc/contract/tool-grants';
import type { QueryClient } from '@tanstack/react-query';
import { type Api, keys, pagesQuery, readQuery } from './client.ts';

export interface ApprovalFilter {
  bot?: string | undefined;
  tool?: string | undefined;
}

/** More than these are not decided in one sitting; the list says so. */
export const maxPendingShown = 200;

/** Oldest first. */
export function pendingApprovalsQuery(api: Api, { bot, tool }: ApprovalFilter = {}) {
  const filter = { status: 'pending', bot_id: bot, tool };
  return readQuery<ApprovalDetail[]>(api, keys.list(api, 'approval', filter), '/api/v1/hitl', {
    ...filter,
    limit: maxPendingShown,
  });
}

/** Newest answer first. */
export function resolvedApprovalsQuery(api: Api, { bot, tool }: ApprovalFilter = {}) {
  const filter = { status: 'resolved', bot_id: bot, tool };
  return pagesQuery<ApprovalDetail>(api, keys.list(api, 'approval', filter), '/api/v1/hitl', { ...filter });
}

export const approvalQuery = (api: Api, id: string) =>
  readQuery<ApprovalDetail>(api, keys.one(api, 'approval', id), `/api/v1/hitl/${id}`);

/** What was allowed together with an approval, oldest first. */
export const grantsQuery = (api: Api) =>
  readQuery<ApprovalGrant[]>(
    api,
    keys.list(api, 'approval', { status: 'allowed' }),
    '/api/v1/approval-grants',
  );

export const revokeGrant = (api: Api, id: string) => api.delete(`/api/v1/approval-grants/${id}`);

/** Sent once, however often it is repeated with this key. */
export const answerApproval = (api: Api, id: string, response: ApprovalResponse, idempotencyKey: string) =>
  api.post<ApprovalAnswer>(`/api/v1/hitl/${id}/respond`, response, { idempotencyKey });

/** Shows a decision that is stored, before the lists are read again. */
export function showDecision(
  client: QueryClient,
  api: Api,
  id: string,
  decision: Partial<ApprovalDetail>,
): void {
  client.setQueryData<ApprovalDetail>(
    keys.one(api, 'approval', id),
    (known) => known && { ...known, ...decision },
  );
  void client.invalidateQueries({ queryKey: keys.lists(api, 'approval') });
  void client.invalidateQueries({ queryKey: keys.one(api, 'approval', id) });
}

export const toolGrantsQuery = (api: Api) =>
  readQuery<ToolGrant[]>(api, keys.list(api, 'approval', { tool_grants: true }), '/api/v1/tool-grants');

export const revokeToolGrant = (api: Api, id: string) => api.delete(`/api/v1/tool-grants/${id}`);
