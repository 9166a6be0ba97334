import type {
  ConsoleCall,
  ConsoleConversation,
  ConsoleMessage,
  ConsoleTrace,
  ConsoleTraceStep,
  ConsoleTurn,
} from '@svc/contract/console-conversation';
import type { TraceStep, Usage } from '@svc/contract/conversations';
import { knownCostOf, sumCosts, type UsageRow, wireCost } from '../../billing/billing.service.ts';
import type {
  ConversationReview,
  ReviewedConversation,
} from '../../conversations/review/conversation-review.service.ts';
import type { ToolCallRow } from '../../conversations/tool-calls/tool-calls.service.ts';
import { eventLog } from '../../events/event-log.ts';
import { notFound } from '../../lib/app-error.ts';
import type { QualityRecord } from '../../quality/quality.service.ts';
import type { Services } from '../../services.ts';
import type { TurnRow } from '../../turns/turns.service.ts';
import { type EventStep, stepsFromEvents } from './steps-from-events.ts';

export type ConsoleConversationService = ReturnType<typeof createConsoleConversationService>;

/** One conversation as members of its workspace see it. Operators also see what was withheld from users. */
export function createConsoleConversationService(
  dependencies: Pick<
    Services,
    | 'approvals'
    | 'billing'
    | 'bots'
    | 'branches'
    | 'conversations'
    | 'database'
    | 'quality'
    | 'traces'
    | 'turns'
  > & { review: Pick<ConversationReview, 'read'> },
) {
  const { branches, database, review, conversations, bots, turns, approvals, billing, quality, traces } =
    dependencies;

  return {
    async get(
      workspaceId: string,
      id: string,
      { isOperator, branchId }: { isOperator: boolean; branchId?: string | undefined },
    ): Promise<ConsoleConversation> {
      const reviewed = await review.read(workspaceId, id, branchId);
      const { row, detail, turnIds, calls, durations } = reviewed;
      const [bot, rows, used, asked, forks, refused] = await Promise.all([
        bots.getRow(workspaceId, row.botId),
        turns.listOfConversation(workspaceId, id),
        billing.usageOfConversation(workspaceId, id),
        approvals.listOfConversation(workspaceId, id),
        branches.list(row),
        isOperator ? quality.listRefused(workspaceId, id) : [],
      ]);
      const { model: _model, ...spent } = sumUsage(used);
      const { messages: _messages, ...conversation } = detail;
      // Long conversations have thousands of messages and as many records.
      const usedIn = Map.groupBy(used, ({ turnId }) => turnId);
      const shown = new Set(detail.messages.map((message) => turnIds.get(message.id)));
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
        messages: toWireMessages(reviewed, used, refused),
        // Turns whose messages a truncation has removed are only kept for what they cost.
        turns: rows
          .filter(({ id: turnId }) => shown.has(turnId))
          .map((turn) => toWireTurn(turn, usedIn.get(turn.id) ?? [])),
        calls: calls
          .filter(({ turnId }) => shown.has(turnId))
          .map((call) => toWireCall(call, durations.get(call.id) ?? null)),
        approvals: asked,
        branches: forks,
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
      if (traced.length > 0) return { ...found, source: 'trace', steps: withCosts(traced, used) };
      const events = await eventLog.listOfTurn(
        database.within(workspaceId),
        workspaceId,
        conversationId,
        turn.id,
      );
      return { ...found, source: 'events', steps: withUsage(stepsFromEvents(turn.id, events), used) };
    },
  };
}

function toWireMessages(
  { detail, turnIds }: ReviewedConversation,
  used: readonly UsageRow[],
  refused: readonly QualityRecord[],
): ConsoleMessage[] {
  const usedFor = Map.groupBy(used, ({ messageId }) => messageId);
  const withheld = new Map(refused.map((record) => [record.message_id, record]));
  return detail.messages.map((message) => {
    const records = message.role === 'assistant' ? usedFor.get(message.id) : undefined;
    const { model, usage, cost_usd } = records ? sumUsage(records) : nothingSpent;
    const record = withheld.get(message.id);
    return {
      ...message,
      model,
      usage,
      cost_usd,
      turn_id: turnIds.get(message.id) ?? null,
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

/** Steps without usage, such as those whose findings are hidden, show no cost either. */
function withCosts(steps: readonly TraceStep[], used: readonly UsageRow[]): ConsoleTraceStep[] {
  const usedFor = Map.groupBy(used, ({ traceStepId }) => traceStepId);
  return steps.map((step) => {
    const records = step.usage ? usedFor.get(step.id) : undefined;
    return { ...step, cost_usd: records ? sumUsage(records).cost_usd : null };
  });
}

/** A failed turn shows the usage of the messages that were not stored. */
function withUsage(steps: readonly EventStep[], used: readonly UsageRow[]): ConsoleTraceStep[] {
  const stored = new Set(steps.map(({ messageId }) => messageId));
  const usedFor = Map.groupBy(
    used.filter(({ messageId }) => messageId !== null),
    ({ messageId }) => (stored.has(messageId) ? messageId : null),
  );
  return steps.map(({ step, messageId }) => {
    const records = step.type === 'model' ? usedFor.get(messageId) : undefined;
    if (!records) return { ...step, cost_usd: null };
    const { model, usage, cost_usd } = sumUsage(records);
    return { ...step, name: model ?? step.name, usage, cost_usd };
  });
}

function toWireCall(call: ToolCallRow, durationMs: number | null): ConsoleCall {
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

/** What some requests to models used together. */
interface Spent {
  /** The model that wrote the most; null without a request. */
  model: string | null;
  usage: Usage;
  /** As far as prices are known; null if none of it has a known price. */
  cost_usd: string | null;
  unpriced_models: string[];
}

function sumUsage(records: readonly UsageRow[]): Spent {
  const sum = (pick: (record: UsageRow) => number) =>
    records.reduce((total, record) => total + pick(record), 0);
  const writer = records.reduce<UsageRow | undefined>(
    (most, record) => (most && most.outputTokens >= record.outputTokens ? most : record),
    undefined,
  );
  return {
    model: writer?.model ?? null,
    usage: {
      input_tokens: sum((record) => record.inputTokens),
      cached_input_tokens: sum((record) => record.cachedInputTokens),
      output_tokens: sum((record) => record.outputTokens),
    },
    ...wireCost(sumCosts(records.map(knownCostOf))),
  };
}
