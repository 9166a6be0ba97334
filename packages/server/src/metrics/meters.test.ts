import { expect, it } from 'vitest';
import { createMeters } from './meters.ts';
import { createRecentFailures } from './recent-failures.ts';
import { counters, gauges, histograms, type Labels, type Series } from './series.ts';

const keysOf = <Group extends object>(group: Group) => Object.keys(group) as (keyof Group)[];

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

it('has a bounded number of series, whatever is counted', async () => {
  const meters = createMeters();
  const hostile = (index: number) => `x${index}"} 1\nsvc_evil{a="${index}`;
  const hostileLabels = (index: number) => [hostile(index), hostile(index), hostile(index)];
  for (let index = 0; index < 100; index += 1) {
    for (const name of keysOf(counters)) meters[name].add(1, ...hostileLabels(index));
    for (const name of keysOf(histograms)) meters[name].observe(1, ...hostileLabels(index));
  }
  for (const name of keysOf(gauges))
    meters.gauge(name, () =>
      Array.from({ length: 100 }, (_none, index) => ({ value: 1, labels: hostileLabels(index) })),
    );
  const known = new Map(
    [counters, histograms, gauges]
      .flatMap((group) => Object.values<Series>(group))
      .map((one) => [one.name, one]),
  );
  const snapshot = await meters.snapshot();
  expect(snapshot.map(({ name }) => name).toSorted()).toEqual([...known.keys()].toSorted());
  for (const { name, values } of snapshot) {
    const allowed: Labels = { ...known.get(name)?.labels };
    // No combination occurs twice, so this also bounds how many there are.
    const combinations = values.map(({ metricName, labels }) => JSON.stringify([metricName, labels]));
    expect(new Set(combinations).size, name).toBe(values.length);
    for (const [label, value] of values.flatMap(({ labels }) => Object.entries(labels)))
      if (label !== 'le') expect([...(allowed[label] ?? []), 'other'], `${name} ${label}`).toContain(value);
  }
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
