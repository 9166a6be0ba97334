import type { TriggeredRun } from '@svc/contract/agents';
import type { AgentOverview, RunCalendar, RunEntry } from '@svc/contract/run-history';
import type { SchedulePreview } from '@svc/contract/schedules';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Api, keys, pagesQuery, type Query, readQuery } from './client.ts';

/** The agents with their next and last slots. */
export const agentsQuery = (api: Api) =>
  readQuery<AgentOverview[]>(api, keys.list(api, 'run', { view: 'agents' }), '/api/console/agents');

/** `bot_id`, `status` and `trigger`. */
export const runHistoryQuery = (api: Api, filter: Query) => ({
  ...pagesQuery<RunEntry>(api, keys.list(api, 'run', filter), '/api/console/runs', filter),
  placeholderData: keepPreviousData,
});

export const runCalendarQuery = (api: Api, query: { month: string; time_zone: string; bot_id?: string }) => ({
  ...readQuery<RunCalendar>(
    api,
    keys.list(api, 'run', { view: 'calendar', ...query }),
    '/api/console/runs/calendar',
    query,
  ),
  placeholderData: keepPreviousData,
});

interface RunWanted {
  payload?: string;
  max_iterations?: number;
}

/** Starts a run; returns its conversation. */
export async function startRun(api: Api, botId: string, wanted: RunWanted): Promise<string> {
  const answer = await api.post<TriggeredRun>(`/api/v1/agents/${botId}/trigger`, wanted);
  return answer.data.conversation_id;
}

/** What a schedule means. Asked for while somebody types, so it is not stored with an Idempotency-Key. */
export const schedulePreviewQuery = (api: Api, schedule: string) =>
  queryOptions({
    queryKey: [api.workspaceId, 'schedule-preview', schedule],
    queryFn: async ({ signal }) => {
      const answer = await api.send('POST', '/api/v1/schedules/preview', { body: { schedule }, signal });
      return (await answer.json()) as SchedulePreview;
    },
    enabled: schedule.trim() !== '',
    // The next times pass.
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    retry: false,
  });
