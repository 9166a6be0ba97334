import { queryOptions } from '@tanstack/react-query';
import type { Api } from './client.ts';
import { keys } from './keys.ts';

/** What waits for a person. The socket sends it whenever it changes. */
export interface Waiting {
  approvals: number;
  handoffs: number;
}

export const waitingQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.all(api.workspaceId, 'waiting'),
    queryFn: ({ signal }) => api.get<Waiting>('/api/console/waiting', undefined, signal),
  });
