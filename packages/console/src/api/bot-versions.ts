import type { BotVersion, BotVersionDetail, Restored } from '@svc/contract/bot-versions';
import { type Api, keys, pagesQuery, readQuery } from './client.ts';

export const botVersionsQuery = (api: Api, botId: string) =>
  pagesQuery<BotVersion>(api, keys.one(api, 'bot', botId, 'versions'), `/api/v1/bots/${botId}/versions`, {
    limit: 50,
  });

/** A version never changes. */
export const botVersionQuery = (api: Api, botId: string, number: number) =>
  readQuery<BotVersionDetail>(
    api,
    [api.workspaceId, 'version', botId, number],
    `/api/v1/bots/${botId}/versions/${number}`,
  );

export function restoreVersion(api: Api, botId: string, number: number): Promise<Restored> {
  return api.post(`/api/v1/bots/${botId}/versions/${number}/restore`);
}
