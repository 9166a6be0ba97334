import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

export interface SitePage {
  head?: string;
  body?: string;
  /** Attributes of the html element. */
  attributes?: string;
  headers?: Record<string, string>;
}

/** A website of its own, reachable under `localhost`, every subdomain of it, and `127.0.0.1`. */
export interface Site {
  /** Adds a page, or replaces it. Returns its address. */
  put(path: string, page: SitePage, host?: string): string;
  host(name?: string): string;
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  const pages = new Map<string, SitePage>();
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '');
    if (!page) return void response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end();
    const { head = '', body = '', attributes = 'lang="en"', headers } = page;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(
      `<!doctype html><html ${attributes}><head><title>Shop</title>${head}</head><body>${body}</body></html>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = (name = 'localhost') => `${name}:${port}`;
  return {
    host,
    put(path, page, name) {
      pages.set(path, page);
      return `http://${host(name)}${path}`;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What a customer pastes into a page. */
export function snippet(service: string, key: string, attributes = ''): string {
  return `<script src="${service}/widget.js" data-key="${key}" ${attributes} async></script>`;
}

/** The parts of the widget on a page. */
export function widgetOn(page: Page) {
  const widget = page.locator('svc-widget');
  return {
    widget,
    launcher: widget.locator('.launcher'),
    panel: widget.getByRole('dialog'),
    composer: widget.getByRole('textbox'),
  };
}
