import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { Api } from '../api/client.ts';
import { agentsQuery } from '../api/runs.ts';
import { patchCache } from './patch-cache.ts';

it('reads the agents again when a bot changes, since a new one may be run at once', async () => {
  const client = new QueryClient();
  const api = { workspaceId: 'w' } as Api;
  const { queryKey } = agentsQuery(api);
  client.setQueryData(queryKey, []);
  const stale = patchCache(client, api, { type: 'changed', object: 'bot', id: 'b' });
  await Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: key })));
  expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
});
