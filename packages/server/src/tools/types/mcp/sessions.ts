import { createHash } from 'node:crypto';
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

interface Kept {
  session: McpSession;
  users: number;
  idleSince: number;
}

const idleAtMostMs = 5 * 60_000;
const mostKept = 200;

/** Keeps sessions for a while, because making one costs several requests. */
export function createMcpSessions({ fetch }: { fetch: typeof globalThis.fetch }): McpSessions {
  const kept = new Map<string, Kept>();
  const tidying = setInterval(tidy, idleAtMostMs / 5).unref();

  function tidy(): void {
    const idle = [...kept]
      .filter(([, { users }]) => users === 0)
      .toSorted(([, a], [, b]) => a.idleSince - b.idleSince);
    const surplus = kept.size - mostKept;
    for (const [index, [key, { session, idleSince }]] of idle.entries()) {
      if (index >= surplus && performance.now() - idleSince < idleAtMostMs) continue;
      kept.delete(key);
      void session.close();
    }
  }

  return {
    async use(owner, server, work) {
      // The SDK is large: loaded by who has such a tool.
      const { createMcpSession } = await import('./session.ts');
      const key = keyOf(owner, server);
      const found = kept.get(key) ?? { session: createMcpSession(server, fetch), users: 0, idleSince: 0 };
      kept.set(key, found);
      found.users += 1;
      try {
        return await work(found.session);
      } finally {
        found.users -= 1;
        found.idleSince = performance.now();
        if (kept.size > mostKept) tidy();
      }
    },
    async close() {
      clearInterval(tidying);
      const sessions = [...kept.values()];
      kept.clear();
      await Promise.all(sessions.map(({ session }) => session.close()));
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
