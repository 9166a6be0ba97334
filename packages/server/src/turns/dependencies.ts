import type { ApprovalService } from '../approvals/service.ts';
import type { BillingService, Spender } from '../billing/service.ts';
import type { BotService } from '../bots/service.ts';
import type { Clock } from '../clock.ts';
import type { ConversationService } from '../conversations/service.ts';
import type { TraceService } from '../conversations/tracing/service.ts';
import type { Database } from '../database/database.ts';
import type { ConversationFeed } from '../events/conversation-feed.ts';
import type { Log } from '../log.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { RunService } from '../runs/service.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { BoundFunction, ListOptions } from '../tools/service.ts';
import type { WorkspaceService } from '../workspaces/service.ts';
import type { LiveReplies } from './reply/live-replies.ts';
import type { PassageSearch } from './reply/passages/passage-search.ts';
import type { ReplyQuality } from './reply/reply-quality.ts';
import type { TurnLease } from './run/lease.ts';

export interface TurnTools {
  /** What the model can call in this turn. */
  functionsOf(lease: TurnLease, signal: AbortSignal, options?: ListOptions): Promise<BoundFunction[]>;
}

/** What the steps of a turn work with. */
export interface TurnDependencies {
  database: Database;
  feed: ConversationFeed;
  replies: LiveReplies;
  models: ModelRegistry;
  tools: TurnTools;
  knowledge: PassageSearch;
  approvals: Pick<
    ApprovalService,
    'request' | 'listOfTurn' | 'withdrawOfTurn' | 'fingerprintOf' | 'toolProblem' | 'revoke'
  >;
  bots: Pick<BotService, 'getRow' | 'recall'>;
  conversations: ConversationService;
  runs: RunService;
  workspaces: Pick<WorkspaceService, 'get' | 'getWithin'>;
  billing: BillingService;
  spender: Pick<Spender, 'payingModel'>;
  traces: Pick<TraceService, 'clean'>;
  quality: ReplyQuality;
  nodeId: string;
  clock: Clock;
  log: Log;
  telemetry: Telemetry;
}
