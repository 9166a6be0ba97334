import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Page {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Responds only after this resolves. */
  until?: Promise<void>;
}

export interface WebSite {
  url: string;
  host: string;
  /** By path, including robots.txt. A function is called for every visit. */
  pages: Record<string, Page | (() => Page)>;
  visits: { path: string; at: number; headers: IncomingHttpHeaders }[];
  /** The highest number of concurrent requests so far. */
  maxConcurrency(): number;
  close(): Promise<void>;
}

/** A website on this machine: reachable when 127.0.0.1 is allowed. */
export async function startWebSite(): Promise<WebSite> {
  const pages: WebSite['pages'] = {};
  const visits: WebSite['visits'] = [];
  let underWay = 0;
  let most = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '/';
    visits.push({ path, at: performance.now(), headers: request.headers });
    underWay += 1;
    most = Math.max(most, underWay);
    const found = pages[path] ?? { status: 404 };
    const { status = 200, headers = {}, body = '', until } = typeof found === 'function' ? found() : found;
    await until;
    underWay -= 1;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(body);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return {
    url: `http://${host}`,
    host,
    pages,
    visits,
    maxConcurrency: () => most,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function article(title: string, ...paragraphs: string[]): string {
  const text = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('');
  return `<!doctype html><html><head><title>${title}</title></head><body><nav>Menu Home Shop</nav><article><h1>${title}</h1>${text}</article></body></html>`;
}
