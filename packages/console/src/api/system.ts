import type { SystemReport } from '@svc/contract/console-system';
import type { FailedJob } from '@svc/contract/jobs';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Api, paged } from './client.ts';
import { keys } from './keys.ts';

const pollMilliseconds = 30_000;

export const systemQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.all(api.workspaceId, 'system'),
    queryFn: ({ signal }) => api.get<SystemReport>('/api/console/system', {}, signal),
    refetchInterval: pollMilliseconds,
    staleTime: 0,
  });

export const failedJobsQuery = (api: Api) =>
  infiniteQueryOptions({
    queryKey: keys.list(api.workspaceId, 'job'),
    queryFn: ({ pageParam, signal }) =>
      api.page<FailedJob>('/api/v1/jobs', { before: pageParam, limit: 50 }, signal),
    ...paged,
    refetchInterval: pollMilliseconds,
    staleTime: 0,
  });

export const retryJob = (api: Api, id: string) => api.post(`/api/v1/jobs/${id}/retry`);

export const readWebhookSecret = (api: Api, botId: string) =>
  api.get<{ webhook_secret: string }>(`/api/v1/bots/${botId}/webhook-secret`);
