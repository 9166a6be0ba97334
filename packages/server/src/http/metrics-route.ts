import { Type } from 'typebox';
import type { Scraper } from '../metrics/scraper.ts';
import type { HttpApp } from './http-app.ts';
import { operation } from './operation.ts';

/** Only where a token is configured. */
export function metricsRoutes(app: HttpApp, scraper: Scraper): void {
  app.get(
    '/metrics',
    operation({
      ability: 'metrics_token',
      tag: 'Service',
      id: 'getMetrics',
      summary: 'Read the metrics',
      description: 'In the text format of Prometheus.',
      schema: { response: { 200: Type.String() } },
      produces: 'text/plain',
    }),
    async (_request, reply) => reply.type(scraper.contentType).send(await scraper.text()),
  );
}
