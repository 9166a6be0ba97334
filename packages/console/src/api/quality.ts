import type { QualityReport, ReviewedReply } from '@svc/contract/console-quality';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Api, paged } from './client.ts';
import { keys } from './keys.ts';

export interface QualityFilter {
  bot_id: string | undefined;
  refused: boolean | undefined;
  unsupported: boolean | undefined;
}

export const qualityQuery = (api: Api, filter: { bot_id: string | undefined; days: number }) =>
  queryOptions({
    queryKey: keys.all(api.workspaceId, 'quality', filter),
    queryFn: ({ signal }) => api.get<QualityReport>('/api/console/quality', { ...filter }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

export const reviewedRepliesQuery = (api: Api, filter: QualityFilter) =>
  infiniteQueryOptions({
    queryKey: keys.list(api.workspaceId, 'quality', { ...filter }),
    queryFn: ({ pageParam, signal }) =>
      api.page<ReviewedReply>(
        '/api/console/quality/records',
        { ...filter, before: pageParam, limit: 25 },
        signal,
      ),
    ...paged,
    placeholderData: keepPreviousData,
  });
