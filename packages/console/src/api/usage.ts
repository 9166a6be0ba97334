import type { UsageReport } from '@svc/contract/usage';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Api, keys } from './client.ts';

export interface UsageWanted {
  from: string;
  to: string;
  /** Such as `day,bot`. */
  by: string;
}

const pollMilliseconds = 60_000;

export const usageQuery = (api: Api, { from, to, by }: UsageWanted) =>
  queryOptions({
    queryKey: keys.all(api, 'usage', { from, to, by }),
    queryFn: ({ signal }) => readUsage(api, { from, to, by }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollMilliseconds,
  });

export const readUsage = (api: Api, wanted: UsageWanted, signal?: AbortSignal) =>
  api.get<UsageReport>('/api/v1/usage', { ...wanted }, signal);
