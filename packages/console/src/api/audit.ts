import type { AuditEntry } from '@svc/contract/audit';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { type Api, paged } from './client.ts';
import { keys } from './keys.ts';

export interface AuditFilter {
  actor: string | undefined;
  action: string | undefined;
  object: string | undefined;
}

/** Newest first. Read again when the page is opened: every change adds to it. */
export const auditQuery = (api: Api, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: keys.list(api.workspaceId, 'audit', { ...filter }),
    queryFn: ({ pageParam, signal }) =>
      api.page<AuditEntry>('/api/v1/audit', { ...filter, before: pageParam, limit: 50 }, signal),
    ...paged,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
