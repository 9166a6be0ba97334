import { once } from 'node:events';
import { createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  url: string;
  /** Where a node listens now; undefined while it does not run. */
  setTarget(node: number, url: string | undefined): void;
  isHealthy(node: number): boolean;
  /** Whether it was healthy at any time since its target was set. */
  wasHealthy(node: number): boolean;
  close(): void;
}

interface Target {
  url: string | undefined;
  isHealthy: boolean;
  wasHealthy: boolean;
}

const checkEveryMs = 500;
const checkTimeoutMs = 1_000;
/** The headers of one connection, which say nothing about the next. */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Round robin over the nodes whose /readyz is 200. A request goes to another node only if that cannot repeat anything: the
 * connection was refused, or the method is safe. Any other failure reaches the client as a broken connection.
 */
export async function startBalancer(nodes: number): Promise<Balancer> {
  const targets: Target[] = Array.from({ length: nodes }, () => ({
    url: undefined,
    isHealthy: false,
    wasHealthy: false,
  }));
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    readBody(incoming).then(
      (body) => forward(incoming, outgoing, body, new Set()),
      () => void outgoing.destroy(),
    );
  }).listen(0, '127.0.0.1');
  server.requestTimeout = 0;
  await once(server, 'listening');
  const checking = setInterval(() => targets.forEach(check), checkEveryMs);

  function check(target: Target): void {
    const { url } = target;
    if (url === undefined) return;
    const settle = (isHealthy: boolean) => {
      if (target.url !== url) return;
      target.isHealthy = isHealthy;
      target.wasHealthy ||= isHealthy;
    };
    const checked = get(`${url}/readyz`, { agent: false, timeout: checkTimeoutMs }, (response) => {
      response.resume();
      settle(response.statusCode === 200);
    });
    checked.on('timeout', () => void checked.destroy());
    checked.on('error', () => settle(false));
  }

  function next(tried: ReadonlySet<Target>): Target | undefined {
    for (let index = 0; index < targets.length; index += 1) {
      turn += 1;
      const target = targets[turn % targets.length];
      if (target?.isHealthy && target.url !== undefined && !tried.has(target)) return target;
    }
    return undefined;
  }

  function forward(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    body: Buffer,
    tried: Set<Target>,
  ): void {
    const target = next(tried);
    if (!target) return void outgoing.destroy();
    tried.add(target);
    const { method = 'GET', headers, url = '/' } = incoming;
    const upstream = request(`${target.url}${url}`, { method, headers: without(headers), agent: false });
    let wasRefused = false;
    outgoing.once('close', () => void upstream.destroy());
    upstream.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, without(response.headers));
      outgoing.flushHeaders();
      response.pipe(outgoing);
      response.on('error', () => undefined);
      response.once('close', () => {
        if (!response.complete) outgoing.destroy();
      });
    });
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      wasRefused ||= error.code === 'ECONNREFUSED';
      if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
      if (wasRefused || method === 'GET') forward(incoming, outgoing, body, tried);
      else outgoing.destroy();
    });
    upstream.end(body);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTarget(node, url) {
      const target = targets[node];
      if (!target) throw new Error(`There is no node ${node}.`);
      target.url = url;
      target.isHealthy = false;
      target.wasHealthy = false;
    },
    isHealthy: (node) => targets[node]?.isHealthy ?? false,
    wasHealthy: (node) => targets[node]?.wasHealthy ?? false,
    close() {
      clearInterval(checking);
      server.close();
      server.closeAllConnections();
    },
  };
}

function without(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)));
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
