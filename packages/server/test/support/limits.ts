import { createWorkspaceService, type LimitChanges } from '../../src/workspaces/workspaces.service.ts';
import { eventually } from './chat.ts';
import type { TestApp } from './test-app.ts';

let mark = 1_000_000;

/**
 * Changes limits of the default workspace as `svc workspaces update` does, and waits until the service applies them: each
 * change also sets a new, unreachable request limit, which the response headers show.
 */
export async function setLimits(service: TestApp, limits: LimitChanges): Promise<void> {
  const { database, call } = service;
  const workspaces = createWorkspaceService({ database });
  const workspaceId = (await workspaces.list())[0]?.id ?? '';
  mark += 1;
  const expected = String(mark);
  await workspaces.changePlan(workspaceId, {}, { requests_per_minute: mark, ...limits });
  const told = async () => (await call('GET /api/v1/tools/catalog')).headers.get('ratelimit-limit');
  await eventually(told).toBe(expected);
}
