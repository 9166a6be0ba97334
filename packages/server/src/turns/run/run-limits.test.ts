import { expect, it } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import type { TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { StopRequested, type TurnLease } from './lease.ts';
import { requireReady } from './run-limits.ts';

const lease = { workspaceId: 'w', channel: 'agent', options: {} } as TurnLease;
const signal = new AbortController().signal;
const offline = () => Promise.reject(new AppError('MACHINE_OFFLINE'));

/** The run's tools are asked once for each of these, in this order. */
function check(
  answers: (() => Promise<void>)[],
  patienceMilliseconds: number,
  until = signal,
  iterations = 0,
) {
  const tools = { requireReady: () => (answers.shift() ?? offline)() };
  const state = { run: { iterations } } as TurnState;
  const dependencies = { tools } as unknown as TurnDependencies;
  return requireReady(lease, state, dependencies, until, patienceMilliseconds);
}

it('a run waits before its first reply for a machine that reconnects', async () => {
  await expect(check([offline, () => Promise.resolve()], 60_000)).resolves.toBeUndefined();
});

it('a run fails if its machine does not reconnect in time, and immediately for any other reason', async () => {
  await expect(check([], 0)).rejects.toMatchObject({ code: 'MACHINE_OFFLINE' });
  const unusable = () => Promise.reject(new AppError('WORKDIR_UNAVAILABLE'));
  await expect(check([unusable], 60_000)).rejects.toMatchObject({ code: 'WORKDIR_UNAVAILABLE' });
});

it('a run that waits for its machine can be stopped', async () => {
  const stopped = AbortSignal.abort(new StopRequested('ada'));
  await expect(check([], 60_000, stopped)).rejects.toMatchObject({ name: 'AbortError' });
});

it('a run that has begun is not checked again: its model reads what fails', async () => {
  await expect(check([], 0, signal, 1)).resolves.toBeUndefined();
});
