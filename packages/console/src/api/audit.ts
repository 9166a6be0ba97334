import type { AuditEntry } from '@svc/contract/audit';
import { keepPreviousData } from '@tanstack/react-query';
import { type Api, keys, pagesQuery, type Query } from './client.ts';

/** Newest first. Read again when the page is opened: every change adds to it. */
export const auditQuery = (api: Api, filter: Query) => ({
  ...pagesQuery<AuditEntry>(api, keys.list(api, 'audit', filter), '/api/v1/audit', {
    ...filter,
    limit: 50,
  }),
  placeholderData: keepPreviousData,
  staleTime: 0,
});
