import type { SchedulePreview } from '@svc/contract/schedules';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Api } from './client.ts';

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
