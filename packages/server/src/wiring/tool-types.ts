import type { Ground, Services } from '../services.ts';
import { createToolRegistry, type ToolRegistry } from '../tools/tool-registry.ts';
import { calculator } from '../tools/types/calculator/calculator.ts';
import { createEndCallTool, createTransferCallTool } from '../tools/types/call-tools.ts';
import { createCodingType } from '../tools/types/coding/coding-type.ts';
import { createCurrentTime } from '../tools/types/current-time.ts';
import { createHandoff } from '../tools/types/handoff.ts';
import { createHttpRequestType } from '../tools/types/http-request/http-request-type.ts';
import { createKnowledgeSearch } from '../tools/types/knowledge-search.ts';
import { createMcp } from '../tools/types/mcp/mcp.ts';
import { createSendEmail } from '../tools/types/send-email/send-email.ts';
import { createWebFetchType } from '../tools/types/web-fetch/web-fetch-type.ts';

/** Every tool type, in the order of the catalog. */
export function createToolTypes(
  services: Ground & Pick<Services, 'desk' | 'knowledge' | 'liveCalls' | 'machines'>,
): ToolRegistry {
  const { clock, desk, guardedLane, knowledge, liveCalls, machines, mcpSessions } = services;
  return createToolRegistry([
    createHttpRequestType({ lane: guardedLane, clock }),
    createWebFetchType({ lane: guardedLane }),
    createMcp({ sessions: mcpSessions }),
    createKnowledgeSearch(knowledge),
    createCodingType({ machines }),
    createSendEmail({ openSocket: guardedLane.openSocket }),
    calculator,
    createCurrentTime({ clock }),
    createHandoff(desk),
    createEndCallTool(liveCalls),
    createTransferCallTool(liveCalls),
  ]);
}
