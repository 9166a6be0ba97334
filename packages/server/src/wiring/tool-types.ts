import type { ConversationDesk } from '../conversations/desk/desk.service.ts';
import type { Clock } from '../lib/clock.ts';
import { createToolRegistry, type ToolRegistry } from '../tools/tool-registry.ts';
import { calculator } from '../tools/types/calculator/calculator.ts';
import { type CallDesk, createEndCall, createTransferCall } from '../tools/types/call-tools.ts';
import { createCodingType } from '../tools/types/coding/coding-type.ts';
import type { MachineWork } from '../tools/types/coding/machine-work.ts';
import { createCurrentTime } from '../tools/types/current-time.ts';
import { createHandoff } from '../tools/types/handoff.ts';
import { createHttpRequestType } from '../tools/types/http-request/http-request-type.ts';
import { createKnowledgeSearch, type KnowledgeSearch } from '../tools/types/knowledge-search.ts';
import { createMcp } from '../tools/types/mcp/mcp.ts';
import { createSendEmail } from '../tools/types/send-email/send-email.ts';
import { createWebFetchType } from '../tools/types/web-fetch/web-fetch-type.ts';
import type { Outbound } from './open-outbound.ts';

export interface ToolTypeDependencies {
  outbound: Pick<Outbound, 'guardedLane' | 'mcpSessions'>;
  desk: Pick<ConversationDesk, 'flag'>;
  knowledge: KnowledgeSearch;
  machines: MachineWork;
  calls: CallDesk;
  clock: Clock;
}

/** Every tool type, in the order of the catalog. */
export function createToolTypes(dependencies: ToolTypeDependencies): ToolRegistry {
  const { outbound, desk, knowledge, machines, calls, clock } = dependencies;
  const { guardedLane, mcpSessions } = outbound;
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
    createEndCall(calls),
    createTransferCall(calls),
  ]);
}
