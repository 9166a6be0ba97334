import { Type } from 'typebox';
import type { HttpApp } from '../http/http-app.ts';
import { operation } from '../http/operation.ts';
import type { Scraper } from './scraper.ts';

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
