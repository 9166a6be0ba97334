import type { Knowledge } from '@svc/contract/knowledge';
import { queryOptions } from '@tanstack/react-query';
import { type Api, keys } from './client.ts';

const processingRefetchMs = 1_000;

/** What a bot knows: its own sources, and those of every bot. Read again while one of them is being processed. */
export const botKnowledgeQuery = (api: Api, botId: string) =>
  queryOptions({
    queryKey: keys.list(api, 'knowledge', { ofBot: botId }),
    queryFn: async ({ signal }) => {
      const all = await api.get<Knowledge[]>('/api/v1/knowledge', {}, signal);
      const own = all.filter(({ bot_id }) => bot_id === botId);
      return [...own, ...all.filter(({ bot_id }) => bot_id === null)];
    },
    refetchInterval: ({ state }) => (state.data?.some(isBeingRead) ? processingRefetchMs : false),
  });

export function isBeingRead({ processing_status }: Knowledge): boolean {
  return processing_status === 'pending' || processing_status === 'processing';
}
