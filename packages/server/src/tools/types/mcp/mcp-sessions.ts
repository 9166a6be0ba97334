import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { McpServer, McpSession, McpSessionDependencies } from './mcp-session.ts';

export interface McpSessions {
  /** Runs work with the session of a tool's configuration; a changed configuration gets another session. */
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

/** Keeps idle sessions for a while, because opening one takes several requests. */
export function createMcpSessions(dependencies: McpSessionDependencies): McpSessions {
  const busy = new Map<string, Busy>();
  const idle = new LRUCache<string, McpSession>({
    max: maxIdle,
    ttl: maxIdleMilliseconds,
    ttlAutopurge: true,
    dispose: (session, _key, reason) => {
      // `use` deletes an entry to take its session out; only evicted and expired ones are closed.
      if (reason !== 'delete') void session.close();
    },
  });

  return {
    async use(owner, server, work) {
      // The SDK is large, so it is loaded only when there is such a tool.
      const { createMcpSession } = await import('./mcp-session.ts');
      const key = keyOf(owner, server);
      const found = busy.get(key) ?? {
        session: idle.get(key) ?? createMcpSession(server, dependencies),
        users: 0,
      };
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

/** A hash, so that the authorization is not kept in another place. */
function keyOf(
  { workspaceId, toolId }: { workspaceId: string; toolId: string | undefined },
  server: McpServer,
): string {
  const parts = [workspaceId, toolId, server.url, server.authorization];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
