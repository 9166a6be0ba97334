import type { AuditEntry } from '@svc/contract/audit';
import { keepPreviousData } from '@tanstack/react-query';
import { type Api, keys, pagesQuery } from './client.ts';

export interface AuditFilter {
  actor: string | undefined;
  action: string | undefined;
  object: string | undefined;
}

/** Newest first. Read again when the page is opened: every change adds to it. */
export const auditQuery = (api: Api, filter: AuditFilter) => ({
  ...pagesQuery<AuditEntry>(api, keys.list(api, 'audit', { ...filter }), '/api/v1/audit', {
    ...filter,
    limit: 50,
  }),
  placeholderData: keepPreviousData,
  staleTime: 0,
});
