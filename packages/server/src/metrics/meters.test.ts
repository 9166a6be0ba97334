import { expect, it } from 'vitest';
import { createMeters } from './meters.ts';
import { createRecentFailures } from './recent-failures.ts';

const valuesOf = async (meters: ReturnType<typeof createMeters>, name: string) =>
  (await meters.snapshot()).find((series) => series.name === name)?.values ?? [];

it('counts from zero by fixed labels, and everything else as other', async () => {
  const meters = createMeters();
  meters.turnsEnded.add(1, 'failed');
  meters.turnsEnded.add(2, 'failed');
  for (let count = 0; count < 1_000; count += 1) meters.turnsEnded.add(1, `outcome-${count}`);
  const values = await valuesOf(meters, 'svc_turns_ended_total');
  expect(values).toHaveLength(7);
  expect(values).toContainEqual({ labels: { outcome: 'completed' }, value: 0 });
  expect(values).toContainEqual({ labels: { outcome: 'failed' }, value: 3 });
  expect(values).toContainEqual({ labels: { outcome: 'other' }, value: 1_000 });
});

it('bounds each of several labels by itself', async () => {
  const meters = createMeters();
  meters.tokens.add(5, 'openai', 'input');
  meters.tokens.add(7, 'evil\nopenai', 'output');
  const values = (await valuesOf(meters, 'svc_model_tokens_total')).filter(({ value }) => value > 0);
  expect(values).toEqual([
    { labels: { provider: 'openai', direction: 'input' }, value: 5 },
    { labels: { provider: 'other', direction: 'output' }, value: 7 },
  ]);
});

it('puts durations into buckets that contain the smaller ones', async () => {
  const meters = createMeters();
  for (const seconds of [0.1, 0.2, 4, 100]) meters.providerSeconds.observe(seconds, 'openai', 'chat');
  const values = await valuesOf(meters, 'svc_provider_request_seconds');
  const buckets = values.filter(({ metricName }) => metricName?.endsWith('_bucket'));
  expect(buckets.map(({ labels, value }) => [labels['le'], value])).toEqual([
    [0.1, 1],
    [0.25, 2],
    [0.5, 2],
    [1, 2],
    [2.5, 2],
    [5, 3],
    [10, 3],
    [30, 3],
    [60, 3],
    ['+Inf', 4],
  ]);
  expect(values.find(({ metricName }) => metricName?.endsWith('_sum'))?.value).toBeCloseTo(104.3);
  expect(values.find(({ metricName }) => metricName?.endsWith('_count'))?.value).toBe(4);
});

it('reads gauges only when they are wanted', async () => {
  const meters = createMeters();
  let reads = 0;
  meters.gauge('streamReaders', () => {
    reads += 1;
    return [{ value: 3, labels: ['events'] }];
  });
  expect(reads).toBe(0);
  expect(await valuesOf(meters, 'svc_stream_readers')).toEqual([{ labels: { kind: 'events' }, value: 3 }]);
  expect(reads).toBe(1);
});

it('remembers failures of providers for ten minutes', () => {
  let now = 0;
  const failures = createRecentFailures(() => now);
  failures.note('openai');
  now = 5 * 60_000;
  failures.note('openai');
  failures.note('deepgram');
  expect(failures.count()).toEqual({ openai: 2, deepgram: 1 });
  now = 10 * 60_000;
  expect(failures.count()).toEqual({ openai: 1, deepgram: 1 });
  now = 16 * 60_000;
  expect(failures.count()).toEqual({});
});
