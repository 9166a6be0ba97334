import { pino } from 'pino';
import { createGuardedLane } from '../../src/egress/guarded-lane.ts';
import type { ToolFunction } from '../../src/tools/tool-type.ts';
import { createMcp } from '../../src/tools/types/mcp/mcp.ts';
import { createMcpSessions } from '../../src/tools/types/mcp/mcp-sessions.ts';
import { type FakeMcpServer, startFakeMcpServer } from './mcp-server.ts';
import { patienceMs } from './patience.ts';

const workspaceId = '0198c2a4-0000-7000-8000-000000000001';

export interface McpTrial {
  server: FakeMcpServer;
  /** Every line that was logged. */
  logged: string[];
  functions(configuration?: object): Promise<ToolFunction[]>;
  first(configuration?: object): Promise<ToolFunction>;
  /** How often the server received this request. */
  count(method: string): number;
  stop(): Promise<void>;
}

/** The tool type with a server of its own, reached through the real guard. */
export async function startMcpTrial({ allow = ['127.0.0.1'] } = {}): Promise<McpTrial> {
  const server = await startFakeMcpServer();
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const lane = createGuardedLane({ allow });
  const sessions = createMcpSessions({ fetch: lane.fetch, log });
  const type = createMcp({ sessions });
  const functions = (configuration: object = {}) =>
    type.functions(
      {
        id: '0198c2a4-0000-7000-8000-000000000002',
        workspaceId,
        name: 'Desk',
        description: 'x',
        configuration: { url: server.url, ...configuration },
      },
      AbortSignal.timeout(patienceMs),
    );
  return {
    server,
    logged,
    functions,
    async first(configuration) {
      const [first] = await functions(configuration);
      if (!first) throw new Error('It offers nothing.');
      return first;
    },
    count: (method) => server.asked.filter((asked) => asked === method).length,
    async stop() {
      await sessions.close();
      await server.stop();
      await lane.close();
    },
  };
}

export function callContext(signal: AbortSignal = AbortSignal.timeout(patienceMs)) {
  return { workspaceId, botId: undefined, conversationId: undefined, signal, onProgress: () => undefined };
}
