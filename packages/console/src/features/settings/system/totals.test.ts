import type { NodeFigures } from '@svc/contract/console-system';
import { expect, it } from 'vitest';
import { totalsOf } from './totals.ts';

const node: NodeFigures = {
  turns_in_progress: 2,
  calls_in_progress: 1,
  stream_readers: 3,
  event_loop_delay_ms: 12.4,
  memory_bytes: 100 * 1024 * 1024,
  connections_in_use: 4,
  connections_awaited: 0,
  recognition_lag_ms: 0,
  provider_failures: [],
  disk_free_bytes: 50 * 1024 ** 3,
  disk_size_bytes: 100 * 1024 ** 3,
};
const shown = (...given: Parameters<typeof totalsOf>) =>
  Object.fromEntries(
    totalsOf(...given).map(({ name, value, note, isHigh }) => [
      name,
      [value, note, isHigh].filter((part) => part !== undefined && part !== false).join(' | '),
    ]),
  );

it('adds up what can be added, and shows the worst of the rest', () => {
  const nodes = [
    { id: 'a', figures: node },
    { id: 'b', figures: { ...node, event_loop_delay_ms: 30, disk_free_bytes: 20 * 1024 ** 3 } },
    { id: 'c', figures: null },
  ];
  const queues = [{ name: 'run-webhooks', waiting: 3, running: 1, oldest_seconds: 12 }];
  expect(shown({ nodes, alive_nodes: 3, queues })).toEqual({
    Nodes: '3 | 1 did not answer',
    'Turns in progress': '4',
    'Calls in progress': '2',
    Readers: '6',
    'Waiting in queues': '3 | the oldest for 12 s',
    'Event-loop delay': '30 ms',
    'Database connections': '8 in use',
    'Recognition behind': '0 ms',
    'Provider failures, 10 min': '0',
    Memory: '200.0 MB',
    Disk: '20% free | 20.0 GB',
  });
});

it('marks what is too much', () => {
  const busy: NodeFigures = {
    ...node,
    event_loop_delay_ms: 400,
    connections_awaited: 2,
    recognition_lag_ms: 4_000,
    provider_failures: [{ provider: 'openai', count: 5 }],
    disk_free_bytes: 1024 ** 3,
  };
  const queues = [{ name: 'post-call', waiting: 1, running: 0, oldest_seconds: 700 }];
  const high = totalsOf({ nodes: [{ id: 'a', figures: busy }], alive_nodes: 1, queues }).filter(
    ({ isHigh }) => isHigh,
  );
  expect(high.map(({ name }) => name)).toEqual([
    'Waiting in queues',
    'Event-loop delay',
    'Database connections',
    'Recognition behind',
    'Provider failures, 10 min',
    'Disk',
  ]);
});

it('says how many of the nodes were asked', () => {
  const nodes = [
    { id: 'a', figures: node },
    { id: 'b', figures: null },
  ];
  expect(shown({ nodes, alive_nodes: 40, queues: [] })).toMatchObject({
    Nodes: '40 | 2 of 40 asked, 1 did not answer',
  });
});

it('says so while nothing is known', () => {
  const unmeasured = { ...node, event_loop_delay_ms: null, disk_free_bytes: null, disk_size_bytes: null };
  const totals = shown({ nodes: [{ id: 'a', figures: unmeasured }], alive_nodes: 1, queues: null });
  expect(totals).toMatchObject({ 'Waiting in queues': 'unknown', 'Event-loop delay': 'measuring …' });
  expect(totals).not.toHaveProperty('Disk');
});
