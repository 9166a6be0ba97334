import { openMetricsPort } from '../http/metrics-port.ts';
import { metricsRoutes } from '../http/metrics-route.ts';
import { createInstallationFigures } from '../metrics/installation-figures.ts';
import type { MetricSnapshot } from '../metrics/meters.ts';
import { createScraper } from '../metrics/scraper.ts';
import type { Feature, Ground, Services } from '../services.ts';
import type { AppOptions } from './open-ground.ts';

export interface OpenedMetrics extends Feature<Pick<Services, 'installationFigures'>> {
  /** Of their own port, if they have one. */
  port: number | undefined;
  /** The series of this process; none unless metrics are served. */
  snapshot(): Promise<MetricSnapshot[]>;
}

/** Serves the metrics where the configuration says so. */
export async function openMetrics(
  services: Pick<Ground, 'config' | 'database' | 'log' | 'meters'>,
  { collectMetrics: collect }: Pick<AppOptions, 'collectMetrics'>,
): Promise<OpenedMetrics> {
  const { config, log, meters } = services;
  const figures = createInstallationFigures(services);
  const feature = { services: { installationFigures: figures } };
  if (!config.metrics) return { ...feature, port: undefined, snapshot: async () => [] };
  const scraper = await createScraper({ meters, figures, collect });
  const { port, token } = config.metrics;
  const opened =
    port === undefined ? undefined : await openMetricsPort({ port, host: config.host, scraper, log });
  return {
    ...feature,
    port: opened?.port,
    snapshot: scraper.snapshot,
    routes: token === undefined ? [] : [(http) => metricsRoutes(http, scraper)],
    close: async () => opened?.close(),
  };
}
