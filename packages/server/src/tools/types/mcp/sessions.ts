import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { McpServer, McpSession } from './session.ts';

export interface McpSessions {
  /** Lends the session of one configuration of one tool; a changed configuration has another. */
  use<Result>(
    owner: { workspaceId: string; toolId: string | undefined },
    server: McpServer,
    work: (session: McpSession) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
}

interface Busy {
  session: McpSession;
  users: number;
}

const maxIdleMilliseconds = 5 * 60_000;
const maxIdle = 200;

/** Keeps sessions for a while, because making one costs several requests. */
export function createMcpSessions({ fetch }: { fetch: typeof globalThis.fetch }): McpSessions {
  const busy = new Map<string, Busy>();
  const idle = new LRUCache<string, McpSession>({
    max: maxIdle,
    ttl: maxIdleMilliseconds,
    ttlAutopurge: true,
    dispose: (session, _key, reason) => {
      // `use` deletes what it takes.
      if (reason !== 'delete') void session.close();
    },
  });

  return {
    async use(owner, server, work) {
      // The SDK is large, so it is loaded only when there is such a tool.
      const { createMcpSession } = await import('./session.ts');
      const key = keyOf(owner, server);
      const found = busy.get(key) ?? { session: idle.get(key) ?? createMcpSession(server, fetch), users: 0 };
      idle.delete(key);
      busy.set(key, found);
      found.users += 1;
      try {
        return await work(found.session);
      } finally {
        found.users -= 1;
        if (found.users === 0 && busy.delete(key)) idle.set(key, found.session);
      }
    },
    async close() {
      const sessions = [...[...busy.values()].map(({ session }) => session), ...idle.values()];
      busy.clear();
      idle.clear();
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}

/** A hash, so that the authorization lies around nowhere else. */
function keyOf(
  { workspaceId, toolId }: { workspaceId: string; toolId: string | undefined },
  server: McpServer,
): string {
  const parts = [workspaceId, toolId, server.url, server.authorization];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
