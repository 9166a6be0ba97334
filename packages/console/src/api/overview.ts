import type { Overview } from '@svc/contract/console-conversations';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from './client.ts';
import { keys } from './keys.ts';

/** Read again whenever something changes that it shows. */
export const overviewQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.all(api.workspaceId, 'overview'),
    queryFn: ({ signal }) => api.get<Overview>('/api/console/overview', undefined, signal),
  });
