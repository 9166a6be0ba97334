import type { AuditEntry } from '@svc/contract/audit';
import type { SystemFigures, SystemReport } from '@svc/contract/console-system';
import type { FailedJob } from '@svc/contract/jobs';
import { keepPreviousData } from '@tanstack/react-query';
import { type Api, keys, pagesQuery, type Query, readQuery } from './client.ts';

const pollMilliseconds = 30_000;

export const systemQuery = (api: Api) => ({
  ...readQuery<SystemReport>(api, keys.all(api, 'system'), '/api/console/system'),
  refetchInterval: pollMilliseconds,
  staleTime: 0,
});

const figuresMilliseconds = 5_000;

/** Not read while the page is hidden. */
export const figuresQuery = (api: Api) => ({
  ...readQuery<SystemFigures>(
    api,
    keys.all(api, 'system', { part: 'figures' }),
    '/api/console/system/figures',
  ),
  refetchInterval: figuresMilliseconds,
  staleTime: 0,
});

export const failedJobsQuery = (api: Api) => ({
  ...pagesQuery<FailedJob>(api, keys.list(api, 'job'), '/api/v1/jobs', { limit: 50 }),
  refetchInterval: pollMilliseconds,
  staleTime: 0,
});

export const retryJob = (api: Api, id: string) => api.post(`/api/v1/jobs/${id}/retry`);

export const readWebhookSecret = (api: Api, botId: string) =>
  api.get<{ webhook_secret: string }>(`/api/v1/bots/${botId}/webhook-secret`);

/** Newest first. Read again when the page is opened: every change adds to it. */
export const auditQuery = (api: Api, filter: Query) => ({
  ...pagesQuery<AuditEntry>(api, keys.list(api, 'audit', filter), '/api/v1/audit', {
    ...filter,
    limit: 50,
  }),
  placeholderData: keepPreviousData,
  staleTime: 0,
});
