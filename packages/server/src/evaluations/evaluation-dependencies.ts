import type { BillingService, Spender } from '../billing/billing.service.ts';
import type { BotService } from '../bots/bots.service.ts';
import type { ConversationService } from '../conversations/conversations.service.ts';
import type { Database } from '../database/database.ts';
import type { NoteChange } from '../events/workspace-changes.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ModelRegistry } from '../models/model-registry.ts';
import type { TurnService } from '../turns/turns.service.ts';

/** What running an evaluation takes. */
export interface EvaluationDependencies {
  database: Database;
  bots: Pick<BotService, 'getRow' | 'lock'>;
  conversations: Pick<ConversationService, 'get' | 'listCalls' | 'listTranscripts'>;
  turns: Pick<TurnService, 'admitTurn' | 'waitForEnd' | 'stop'>;
  models: Pick<ModelRegistry, 'ofBot'>;
  spender: Pick<Spender, 'payingModel'>;
  billing: Pick<BillingService, 'usageOfConversations'>;
  nodeId: string;
  noteChange: NoteChange;
  clock: Clock;
  log: Log;
}
