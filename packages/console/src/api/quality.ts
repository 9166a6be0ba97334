import type { QualityReport, ReviewedReply } from '@svc/contract/console-quality';
import { keepPreviousData } from '@tanstack/react-query';
import { type Api, keys, pagesQuery, type Query, readQuery } from './client.ts';

export const qualityQuery = (api: Api, filter: Query) => ({
  ...readQuery<QualityReport>(api, keys.all(api, 'quality', filter), '/api/console/quality', filter),
  placeholderData: keepPreviousData,
  refetchInterval: 60_000,
});

export const reviewedRepliesQuery = (api: Api, filter: Query) => ({
  ...pagesQuery<ReviewedReply>(api, keys.list(api, 'quality', filter), '/api/console/quality/records', {
    ...filter,
    limit: 25,
  }),
  placeholderData: keepPreviousData,
});
