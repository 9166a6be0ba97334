import { expect, it } from 'vitest';
import { AppError } from '../../app-error.ts';
import type { TurnState } from '../state.ts';
import type { TurnLease } from './lease.ts';
import { requireReady } from './run-limits.ts';

const tools = { requireReady: () => Promise.reject(new AppError('MACHINE_OFFLINE')) };

function check(fence: number, iterations: number): Promise<void> {
  const lease = { workspaceId: 'w', channel: 'agent', options: {}, fence } as TurnLease;
  return requireReady(lease, { run: { iterations } } as TurnState, { tools } as never);
}

it('a run fails before its first reply if its machine is not connected', async () => {
  await expect(check(1, 0)).rejects.toMatchObject({ code: 'MACHINE_OFFLINE' });
});

it('a run that continues does not: its machine may be reconnecting', async () => {
  await expect(check(1, 1)).resolves.toBeUndefined();
  await expect(check(2, 0)).resolves.toBeUndefined();
});
