import { createServer } from 'node:http';
import { ConfigError } from '../config/config-error.ts';
import type { Log } from '../lib/log.ts';
import type { Scraper } from '../metrics/scraper.ts';

export interface MetricsPortOptions {
  port: number;
  host: string;
  scraper: Scraper;
  log: Log;
}

/** Serves the metrics, and nothing else, on a port of their own. Processes that request the same port share it. */
export async function openMetricsPort({ port, host, scraper, log }: MetricsPortOptions) {
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    scraper.text().then(
      (text) => response.writeHead(200, { 'content-type': scraper.contentType }).end(text),
      (error: unknown) => {
        log.error({ err: error }, 'The metrics could not be read.');
        response.writeHead(500).end();
      },
    );
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen({ port, host }, listening.resolve);
  try {
    await listening.promise;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`SVC_METRICS_PORT ${port} cannot be listened on (${code}): choose another.`, {
      cause: error,
    });
  }
  server.off('error', listening.reject);
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
