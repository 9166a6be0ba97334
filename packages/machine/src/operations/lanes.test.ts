import type { OperationName } from '@svc/contract/machine-protocol';
import { expect, it } from 'vitest';
import { createLanes } from './lanes.ts';

it('runs eight commands at a time beside one change', () => {
  const laneFor = createLanes();
  const started: OperationName[] = [];
  const enter = (name: OperationName) => {
    const endless = () => {
      started.push(name);
      return new Promise<void>(() => undefined);
    };
    expect(laneFor(name).enter(new AbortController().signal, endless, () => undefined)).toBe(true);
  };
  for (let count = 0; count < 9; count++) enter('run_command');
  for (const name of ['write_file', 'edit_file', 'revert'] as const) enter(name);
  expect(started).toEqual([...Array.from({ length: 8 }, () => 'run_command'), 'write_file']);
});
