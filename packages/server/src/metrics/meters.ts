import { counters, gauges, type HistogramSeries, histograms, type Labels, type Series } from './series.ts';

/** One value of a series, with the values of its labels in their order. */
export interface Reading {
  value: number;
  labels?: readonly string[];
}

/** A series with its values, in the form that prom-client renders and that processes send each other. */
export interface MetricSnapshot {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  aggregator: 'sum';
  values: { value: number; labels: Record<string, string | number>; metricName?: string }[];
}

export interface Counter {
  /** Label values that the series does not have are counted as `other`. */
  add(amount: number, ...labels: readonly string[]): void;
  snapshot(): MetricSnapshot;
}

export interface Histogram {
  observe(value: number, ...labels: readonly string[]): void;
  snapshot(): MetricSnapshot;
}

type GaugeName = keyof typeof gauges;
type ReadGauge = () => readonly Reading[] | Promise<readonly Reading[]>;

export type Meters = ReturnType<typeof createMeters>;

/**
 * What this process counts, always, and what can be read of it when it is scraped. Counting is an addition in a map whose size is
 * limited by the series. prom-client only renders: it is loaded where metrics are served.
 */
export function createMeters() {
  const readers = new Map<GaugeName, ReadGauge>();
  const counted = mapValues(counters, createCounter);
  const measured = mapValues(histograms, createHistogram);

  async function read(name: GaugeName): Promise<readonly Reading[]> {
    return (await readers.get(name)?.()) ?? [];
  }

  return {
    ...counted,
    ...measured,
    /** How a gauge is read, whenever it is wanted. */
    gauge: (name: GaugeName, reader: ReadGauge) => void readers.set(name, reader),
    read,
    /** All series of this process. */
    async snapshot(): Promise<MetricSnapshot[]> {
      const readings = Object.entries(gauges).map(async ([name, series]) =>
        gaugeSnapshot(series, await read(name as GaugeName)),
      );
      const all = [...Object.values(counted), ...Object.values(measured)];
      return [...all.map((meter) => meter.snapshot()), ...(await Promise.all(readings))];
    },
  };
}

export function gaugeSnapshot(series: Series, readings: readonly Reading[]): MetricSnapshot {
  const names = Object.keys(series.labels);
  const sums = new Map<string, number>();
  for (const { value, labels = [] } of readings) {
    const key = bounded(labels, series.labels);
    sums.set(key, (sums.get(key) ?? 0) + value);
  }
  return {
    ...headOf(series, series.type ?? 'gauge'),
    values: [...sums].map(([key, value]) => ({ value, labels: labelled(names, key) })),
  };
}

function createCounter(series: Series): Counter {
  const names = Object.keys(series.labels);
  const sums = new Map(combinations(series.labels).map((key) => [key, 0]));
  return {
    add(amount, ...labels) {
      const key = labels.length === 1 ? (labels[0] ?? other) : labels.join(separator);
      const known = sums.has(key) ? key : bounded(labels, series.labels);
      sums.set(known, (sums.get(known) ?? 0) + amount);
    },
    snapshot: () => ({
      ...headOf(series, 'counter'),
      values: [...sums].map(([key, value]) => ({ value, labels: labelled(names, key) })),
    }),
  };
}

interface Observed {
  /** How many values are in each bucket alone; the last has those above all bounds. */
  counts: number[];
  sum: number;
}

function createHistogram(series: HistogramSeries): Histogram {
  const names = Object.keys(series.labels);
  const all = new Map<string, Observed>();
  return {
    observe(value, ...labels) {
      const key = bounded(labels, series.labels);
      const observed = all.get(key) ?? { counts: Array(series.buckets.length + 1).fill(0), sum: 0 };
      all.set(key, observed);
      const found = series.buckets.findIndex((bound) => value <= bound);
      const bucket = found === -1 ? series.buckets.length : found;
      observed.counts[bucket] = (observed.counts[bucket] ?? 0) + 1;
      observed.sum += value;
    },
    snapshot: () => ({
      ...headOf(series, 'histogram'),
      values: [...all].flatMap(([key, observed]) => bucketsOf(series, labelled(names, key), observed)),
    }),
  };
}

/** As Prometheus wants them: each bucket contains the smaller ones. */
function bucketsOf({ name, buckets }: HistogramSeries, labels: Record<string, string>, observed: Observed) {
  let count = 0;
  const values: MetricSnapshot['values'] = observed.counts.map((inBucket, index) => {
    count += inBucket;
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: buckets[index] ?? '+Inf' },
      value: count,
    };
  });
  return [
    ...values,
    { metricName: `${name}_sum`, labels, value: observed.sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function headOf({ name, help }: Series, type: MetricSnapshot['type']) {
  return { name, help, type, aggregator: 'sum' } as const;
}

const other = 'other';
/** No label value contains it. */
const separator = '\n';

/** The values of the labels as one key. What a series does not know becomes `other`. */
function bounded(values: readonly string[], labels: Labels): string {
  return Object.values(labels)
    .map((allowed, index) => allowed.find((value) => value === values[index]) ?? other)
    .join(separator);
}

/** The keys that a counter starts with at zero, so that the first event is seen as an increase. */
function combinations(labels: Labels): string[] {
  const [first = [], ...others] = Object.values(labels);
  return others.reduce<string[]>(
    (keys, values) => keys.flatMap((key) => values.map((value) => key + separator + value)),
    [...first],
  );
}

function labelled(names: readonly string[], key: string): Record<string, string> {
  const values = key.split(separator);
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? other]));
}

function mapValues<Names extends string, From, To>(
  from: Readonly<Record<Names, From>>,
  convert: (value: From) => To,
): Record<Names, To> {
  const entries = Object.entries<From>(from).map(([name, value]) => [name, convert(value)]);
  return Object.fromEntries(entries) as Record<Names, To>;
}
