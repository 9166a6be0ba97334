import type { QualityReport, ReviewedReply } from '@svc/contract/console-quality';
import { keepPreviousData } from '@tanstack/react-query';
import { type Api, keys, pagesQuery, readQuery } from './client.ts';

export interface QualityFilter {
  bot_id: string | undefined;
  refused: boolean | undefined;
  unsupported: boolean | undefined;
}

export const qualityQuery = (api: Api, filter: { bot_id: string | undefined; days: number }) => ({
  ...readQuery<QualityReport>(api, keys.all(api, 'quality', filter), '/api/console/quality', { ...filter }),
  placeholderData: keepPreviousData,
  refetchInterval: 60_000,
});

export const reviewedRepliesQuery = (api: Api, filter: QualityFilter) => ({
  ...pagesQuery<ReviewedReply>(
    api,
    keys.list(api, 'quality', { ...filter }),
    '/api/console/quality/records',
    { ...filter, limit: 25 },
  ),
  placeholderData: keepPreviousData,
});
