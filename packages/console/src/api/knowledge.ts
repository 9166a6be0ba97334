import type {
  ExplainedSearch,
  KnowledgeOverview,
  KnowledgeSource,
  SourcePassages,
} from '@svc/contract/console-knowledge';
import type { Knowledge, KnowledgeCreate } from '@svc/contract/knowledge';
import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { type Api, keys, pagesQuery, type Query, readQuery } from './client.ts';

/** Newest first. */
export const sourcesQuery = (api: Api, filter: Query) => ({
  ...pagesQuery<KnowledgeSource>(api, keys.list(api, 'knowledge', filter), '/api/console/knowledge', filter),
  // Old rows stay while a filter loads.
  placeholderData: keepPreviousData,
});

export const knowledgeOverviewQuery = (api: Api) =>
  readQuery<KnowledgeOverview>(
    api,
    keys.list(api, 'knowledge', { view: 'overview' }),
    '/api/console/knowledge/overview',
  );

export const sourceQuery = (api: Api, id: string) =>
  readQuery<KnowledgeSource>(api, keys.one(api, 'knowledge', id), `/api/console/knowledge/${id}`);

/** From the wanted passage on, or from the first; more can be read in both directions. */
export const passagesQuery = (api: Api, id: string, passage: string | undefined) =>
  infiniteQueryOptions({
    queryKey: keys.one(api, 'knowledge', id, 'passages', { passage }),
    queryFn: ({ pageParam, signal }) =>
      api.get<SourcePassages>(`/api/console/knowledge/${id}/passages`, { ...pageParam }, signal),
    initialPageParam: firstPage(passage),
    getNextPageParam: ({ passages, total }) => {
      const last = passages.at(-1)?.position ?? total;
      return last + 1 < total ? { from: last + 1 } : undefined;
    },
    getPreviousPageParam: ({ passages }) => {
      const first = passages[0]?.position ?? 0;
      const from = Math.max(0, first - passagesPerPage);
      return first > 0 ? { from, limit: first - from } : undefined;
    },
  });

const passagesPerPage = 50;

function firstPage(passage: string | undefined): Record<string, string | number> {
  return passage === undefined ? {} : { passage };
}

export const searchQuery = (api: Api, query: string, botId: string | undefined) =>
  queryOptions({
    queryKey: keys.one(api, 'knowledge', 'search', { query, botId }),
    queryFn: ({ signal }) =>
      api.post<ExplainedSearch>(
        '/api/console/knowledge/search',
        { query, limit: 10, ...(botId && { bot_id: botId }) },
        { signal },
      ),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  });

export const addSource = (api: Api, body: KnowledgeCreate) => api.post<Knowledge>('/api/v1/knowledge', body);

export const refreshSource = (api: Api, id: string) => api.post(`/api/v1/knowledge/${id}/refresh`);
export const restoreSource = (api: Api, id: string) => api.post(`/api/v1/knowledge/${id}/restore`);
export const deleteSource = (api: Api, id: string, type: 'soft' | 'hard') =>
  api.delete(`/api/v1/knowledge/${id}`, { type });

/** Reads everything about knowledge again. */
export function rereadKnowledge(client: QueryClient, api: Api): Promise<void> {
  return client.invalidateQueries({ queryKey: keys.all(api, 'knowledge') });
}

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
