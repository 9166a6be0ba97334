import { ApiError } from '@svc/client/api-error';
import type { Bot } from '@svc/contract/bots';
import type { FoundObject } from '@svc/contract/console-conversations';
import type { KnowledgeSource } from '@svc/contract/console-knowledge';
import type { Machine } from '@svc/contract/machines';
import type { Tool } from '@svc/contract/tools';
import { queryOptions } from '@tanstack/react-query';
import { type Api, keys } from './client.ts';

export interface NamedObjects {
  bots: Pick<Bot, 'id' | 'name' | 'bot_type'>[];
  tools: Pick<Tool, 'id' | 'name'>[];
  knowledge: Pick<KnowledgeSource, 'id' | 'title'>[];
  machines: Pick<Machine, 'id' | 'name'>[];
}

/** What was added meanwhile should be found. */
const staleTime = 10_000;

export const namedObjectsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.all(api, 'palette'),
    queryFn: async ({ signal }): Promise<NamedObjects> => {
      const [bots, tools, knowledge, machines] = await Promise.all([
        api.get<NamedObjects['bots']>('/api/v1/bots', {}, signal),
        api.get<NamedObjects['tools']>('/api/v1/tools', {}, signal),
        api.get<NamedObjects['knowledge']>('/api/console/knowledge', { limit: 200 }, signal),
        api.get<NamedObjects['machines']>('/api/v1/machines', {}, signal),
      ]);
      return { bots, tools, knowledge, machines };
    },
    staleTime,
  });

/** Null for an id of nothing. */
export const foundObjectQuery = (api: Api, id: string | undefined) =>
  queryOptions({
    queryKey: keys.all(api, 'palette', { id }),
    queryFn: async ({ signal }): Promise<FoundObject | null> => {
      try {
        return await api.get<FoundObject>('/api/console/find', { id }, signal);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    enabled: id !== undefined,
    staleTime,
  });
