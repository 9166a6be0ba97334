import type {
  ConsoleCall,
  ConsoleConversation,
  ConsoleMessage,
  ConsoleTrace,
  ConsoleTraceStep,
  ConsoleTurn,
} from '@svc/contract/console-conversation';
import type { TraceStep } from '@svc/contract/conversations';
import type { ApprovalService } from '../../approvals/approvals.service.ts';
import type { BillingService, UsageRow } from '../../billing/billing.service.ts';
import type { BotService } from '../../bots/bots.service.ts';
import type { ConversationService } from '../../conversations/conversations.service.ts';
import type {
  CallRow,
  ConversationReview,
  ReviewedConversation,
} from '../../conversations/review/conversation-review.service.ts';
import type { TraceService } from '../../conversations/tracing/tracing.service.ts';
import type { Database } from '../../database/database.ts';
import { eventLog } from '../../events/event-log.ts';
import { notFound } from '../../lib/app-error.ts';
import { formatUsd, parseUsd } from '../../lib/money.ts';
import type { QualityRecord, QualityService } from '../../quality/quality.service.ts';
import type { TurnRow, TurnService } from '../../turns/turns.service.ts';
import { stepsFromEvents } from './steps-from-events.ts';
import { sumUsage, usageAt } from './usage-of-replies.ts';

export interface ConsoleConversationDependencies {
  database: Database;
  review: Pick<ConversationReview, 'read'>;
  conversations: Pick<ConversationService, 'getRow'>;
  bots: Pick<BotService, 'getRow'>;
  turns: Pick<TurnService, 'listOfConversation'>;
  approvals: Pick<ApprovalService, 'listOfConversation'>;
  billing: Pick<BillingService, 'usageOfConversation' | 'usageOfTurn'>;
  quality: Pick<QualityService, 'listRefused'>;
  traces: Pick<TraceService, 'readTurn'>;
}

export type ConsoleConversationService = ReturnType<typeof createConsoleConversationService>;

/** One conversation as members of its workspace see it. Operators also see what was withheld from users. */
export function createConsoleConversationService(dependencies: ConsoleConversationDependencies) {
  const { database, review, conversations, bots, turns, approvals, billing, quality, traces } = dependencies;

  return {
    async get(workspaceId: string, id: string, isOperator: boolean): Promise<ConsoleConversation> {
      const reviewed = await review.read(workspaceId, id);
      const { row, detail, places, calls, times } = reviewed;
      const [bot, rows, used, asked, refused] = await Promise.all([
        bots.getRow(workspaceId, row.botId),
        turns.listOfConversation(workspaceId, id),
        billing.usageOfConversation(workspaceId, id),
        approvals.listOfConversation(workspaceId, id),
        isOperator ? quality.listRefused(workspaceId, id) : [],
      ]);
      const durations = new Map(times.map(({ callId, durationMs }) => [callId, durationMs]));
      const { model: _model, ...spent } = sumUsage(used);
      const { messages: _messages, ...conversation } = detail;
      // Long conversations have thousands of messages and as many records.
      const usedIn = Map.groupBy(used, ({ turnId }) => turnId);
      const shown = new Set([...places.values()].map(({ turnId }) => turnId));
      return {
        ...conversation,
        ...spent,
        last_event_id: row.lastSequence,
        bot: {
          name: bot.name,
          bot_type: bot.botType,
          version: bot.version,
          is_inactive: bot.status === 'inactive',
          is_traced: bot.settings.enable_agent_tracing ?? false,
        },
        messages: toWireMessages(reviewed, usedIn, refused),
        // Turns whose messages a truncation has removed are only kept for what they cost.
        turns: rows
          .filter(({ id: turnId }) => shown.has(turnId))
          .map((turn) => toWireTurn(turn, usedIn.get(turn.id) ?? [])),
        calls: calls.map((call) => toWireCall(call, durations.get(call.id) ?? null)),
        approvals: asked,
      };
    },

    /** The steps of a turn, the latest if none is named. */
    async trace(
      workspaceId: string,
      conversationId: string,
      turnId: string | undefined,
      isOperator: boolean,
    ): Promise<ConsoleTrace> {
      await conversations.getRow(workspaceId, conversationId);
      const rows = await turns.listOfConversation(workspaceId, conversationId);
      const turn = turnId === undefined ? rows.at(-1) : rows.find(({ id }) => id === turnId);
      if (!turn && turnId !== undefined) throw notFound();
      const found = { conversation_id: conversationId, turn_id: turn?.id ?? null };
      if (!turn) return { ...found, source: 'events', steps: [] };
      const used = await billing.usageOfTurn(workspaceId, conversationId, turn.id);
      const place = { conversationId, turnId: turn.id };
      const traced = await traces.readTurn(workspaceId, place, isOperator);
      if (traced.length > 0) return { ...found, source: 'trace', steps: takeMatching(traced, used) };
      const events = await eventLog.listOfTurn(
        database.within(workspaceId),
        workspaceId,
        conversationId,
        turn.id,
      );
      const steps = stepsFromEvents(turn.id, events).map(({ step, at }) => {
        if (step.type !== 'model') return { ...step, cost_usd: null };
        const { model, usage, cost_usd } = sumUsage(usageAt(used, turn.id, at));
        return model === null ? { ...step, cost_usd: null } : { ...step, name: model, usage, cost_usd };
      });
      return { ...found, source: 'events', steps };
    },
  };
}

function toWireMessages(
  { detail, places, times }: ReviewedConversation,
  usedIn: ReadonlyMap<string | null, readonly UsageRow[]>,
  refused: readonly QualityRecord[],
): ConsoleMessage[] {
  const writtenAt = new Map(times.map(({ sequence, createdAt }) => [sequence, createdAt]));
  const withheld = new Map(refused.map((record) => [record.message_id, record]));
  return detail.messages.map((message) => {
    const place = places.get(message.id);
    const turnId = place?.turnId ?? null;
    const isReply = message.role === 'assistant';
    const records =
      isReply && place ? usageAt(usedIn.get(turnId) ?? [], turnId, writtenAt.get(place.sequence)) : [];
    const spent = records.length > 0 ? sumUsage(records) : nothingSpent;
    const record = withheld.get(message.id);
    return {
      ...message,
      ...spent,
      turn_id: turnId,
      withheld: record ? { text: record.refused_text, score: record.score } : null,
    };
  });
}

const nothingSpent = { model: null, usage: null, cost_usd: null };

function toWireTurn(turn: TurnRow, used: readonly UsageRow[]): ConsoleTurn {
  return {
    id: turn.id,
    status: turn.status,
    started_at: turn.startedAt.toISOString(),
    ended_at: turn.endedAt?.toISOString() ?? null,
    error: turn.error,
    stopped_by: turn.status === 'interrupted' ? turn.stopRequestedBy : null,
    bot_version: turn.options.bot_version ?? null,
    ...sumUsage(used),
  };
}

/** Adds to each step what it cost: the record of the same model with the same tokens. Each record is used once. */
function takeMatching(steps: readonly TraceStep[], used: readonly UsageRow[]): ConsoleTraceStep[] {
  const left = [...used];
  return steps.map((step) => {
    const index = left.findIndex((record) => isOf(record, step));
    const [record] = index === -1 ? [] : left.splice(index, 1);
    return { ...step, cost_usd: record?.costUsd ? formatUsd(parseUsd(record.costUsd)) : null };
  });
}

function isOf(record: UsageRow, { name, usage }: TraceStep): boolean {
  return (
    usage !== null &&
    record.model === name &&
    record.inputTokens === usage.input_tokens &&
    record.cachedInputTokens === usage.cached_input_tokens &&
    record.outputTokens === usage.output_tokens
  );
}

function toWireCall(call: CallRow, durationMs: number | null): ConsoleCall {
  return {
    id: call.id,
    turn_id: call.turnId,
    name: call.name,
    tool_type: call.toolType,
    status: call.status,
    started_at: call.startedAt?.toISOString() ?? null,
    duration_ms: durationMs,
  };
}
