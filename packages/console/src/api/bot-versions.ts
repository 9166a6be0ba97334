import type { BotVersion, BotVersionDetail, Restored } from '@svc/contract/bot-versions';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type Api, type Page, paged } from './client.ts';
import { keys } from './keys.ts';

export const botVersionsQuery = (api: Api, botId: string) =>
  infiniteQueryOptions({
    queryKey: keys.one(api.workspaceId, 'bot', botId, 'versions'),
    queryFn: ({ pageParam, signal }): Promise<Page<BotVersion>> =>
      api.page(`/api/v1/bots/${botId}/versions`, { limit: 50, before: pageParam }, signal),
    ...paged,
  });

/** A version never changes. */
export const botVersionQuery = (api: Api, botId: string, number: number) =>
  queryOptions({
    queryKey: [api.workspaceId, 'version', botId, number],
    queryFn: ({ signal }) =>
      api.get<BotVersionDetail>(`/api/v1/bots/${botId}/versions/${number}`, {}, signal),
  });

export function restoreVersion(api: Api, botId: string, number: number): Promise<Restored> {
  return api.post(`/api/v1/bots/${botId}/versions/${number}/restore`);
}
