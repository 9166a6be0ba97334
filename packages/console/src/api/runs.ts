import type { TriggeredRun } from '@svc/contract/agents';
import type { AgentOverview, RunCalendar, RunEntry } from '@svc/contract/run-history';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Api, type Page, paged, type Query } from './client.ts';
import { keys } from './keys.ts';

/** The agents with their next and last slots. */
export const agentsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.list(api.workspaceId, 'run', { view: 'agents' }),
    queryFn: ({ signal }) => api.get<AgentOverview[]>('/api/console/agents', {}, signal),
  });

/** `bot_id`, `status` and `trigger`. */
export const runHistoryQuery = (api: Api, filter: Query) =>
  infiniteQueryOptions({
    queryKey: keys.list(api.workspaceId, 'run', filter),
    queryFn: ({ pageParam, signal }): Promise<Page<RunEntry>> =>
      api.page('/api/console/runs', { ...filter, before: pageParam }, signal),
    ...paged,
    placeholderData: keepPreviousData,
  });

export const runCalendarQuery = (api: Api, query: { month: string; time_zone: string; bot_id?: string }) =>
  queryOptions({
    queryKey: keys.list(api.workspaceId, 'run', { view: 'calendar', ...query }),
    queryFn: ({ signal }) => api.get<RunCalendar>('/api/console/runs/calendar', query, signal),
    placeholderData: keepPreviousData,
  });

export interface RunWanted {
  payload?: string;
  max_iterations?: number;
}

/** Starts a run; returns its conversation. */
export async function startRun(api: Api, botId: string, wanted: RunWanted): Promise<string> {
  const answer = await api.post<TriggeredRun>(`/api/v1/agents/${botId}/trigger`, wanted);
  return answer.data.conversation_id;
}
