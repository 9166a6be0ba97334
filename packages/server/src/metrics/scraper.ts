import { gaugeSnapshot, type MetricSnapshot } from './meters.ts';
import { processUp } from './series.ts';

/** The series of one of the processes that serve a port together. */
export interface ProcessSnapshot {
  /** Its place among them: a process that is replaced leaves it to its successor. */
  process: number;
  /** Undefined if it did not answer. */
  metrics: MetricSnapshot[] | undefined;
}

export interface ScraperOptions {
  meters: { snapshot(): Promise<MetricSnapshot[]> };
  figures: { snapshot(): Promise<MetricSnapshot[]> };
  /** The series of all processes of this machine, this one included; left out if it is the only one. */
  collect?: (() => Promise<ProcessSnapshot[]>) | undefined;
}

export type Scraper = Awaited<ReturnType<typeof createScraper>>;

/** Loads prom-client, which is not needed elsewhere: it reads what Node knows of the process, and renders the series of all processes. */
export async function createScraper({ meters, figures, collect }: ScraperOptions) {
  const { AggregatorRegistry, collectDefaultMetrics, Registry } = await import('prom-client');
  const ofNode = new Registry();
  collectDefaultMetrics({ register: ofNode });
  let running: Promise<string> | undefined;

  /** The series of this process. */
  async function snapshot(): Promise<MetricSnapshot[]> {
    const [own, node] = await Promise.all([meters.snapshot(), ofNode.getMetricsAsJSON()]);
    return [...own, ...(node as unknown as MetricSnapshot[])];
  }

  async function render(): Promise<string> {
    const [processes, installation] = await Promise.all([
      collect ? collect() : snapshot().then((metrics) => [{ process: undefined, metrics }]),
      figures.snapshot(),
    ]);
    const labelled = processes.map(({ process, metrics }) =>
      [gaugeSnapshot(processUp, [{ value: metrics ? 1 : 0 }]), ...(metrics ?? [])].map((one) =>
        withProcess(one, process),
      ),
    );
    return AggregatorRegistry.aggregate([...labelled, installation]).metrics();
  }

  return {
    snapshot,
    contentType: ofNode.contentType,
    /** Programs that ask at the same time get the same answer. */
    text(): Promise<string> {
      running ??= render().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** Each process has its own series, so that one that is replaced does not look like a loss of what all have counted. */
function withProcess(metric: MetricSnapshot, process: number | undefined): MetricSnapshot {
  if (process === undefined) return metric;
  return {
    ...metric,
    values: metric.values.map((one) => ({ ...one, labels: { ...one.labels, process } })),
  };
}
