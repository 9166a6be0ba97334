import type { ConversationMessage, Usage } from '@svc/contract/conversations';
import type { Evaluation, EvaluationCase, EvaluationDetail } from '@svc/contract/evaluations';
import { type KnownCost, sumCosts, wireCost } from '../billing/billing.service.ts';
import { changeOf, comparisonOf } from './compare.ts';
import type { CaseRow, CaseState, DecidedCase, EvaluationRow } from './evaluations.store.ts';

/** The usage of a conversation. */
export interface Spent {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  cost: KnownCost;
}

export type SpentByConversation = ReadonlyMap<string, Spent>;

/** Reports shorten long messages; the conversation has them in full. */
const maxMessageCharacters = 4_000;

export function toWire(
  row: EvaluationRow,
  cases: readonly CaseState[],
  spent: SpentByConversation,
): Evaluation {
  const count = (...statuses: CaseRow['status'][]) =>
    cases.filter(({ status }) => statuses.includes(status)).length;
  return {
    id: row.id,
    bot_id: row.botId,
    version: row.version,
    status: row.status,
    counts: {
      total: cases.length,
      passed: count('passed'),
      failed: count('failed'),
      error: count('error'),
      skipped: count('skipped'),
      pending: count('pending', 'running'),
    },
    outcomes: cases.map(({ scenarioId, status }) => ({ scenario_id: scenarioId, status })),
    error: row.error,
    ...total(cases.flatMap((one) => spentOn(one, spent) ?? [])),
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}

export interface DetailParts {
  cases: readonly CaseRow[];
  spent: SpentByConversation;
  previous: readonly DecidedCase[];
  transcripts: ReadonlyMap<string, ConversationMessage[]>;
}

export function toWireDetail(row: EvaluationRow, parts: DetailParts): EvaluationDetail {
  const cases = parts.cases.map((one) => toWireCase(one, parts));
  return { ...toWire(row, parts.cases, parts.spent), comparison: comparisonOf(cases), cases };
}

function toWireCase(row: CaseRow, { spent, previous, transcripts }: DetailParts): EvaluationCase {
  const before = previous.find(({ scenarioId }) => scenarioId === row.scenarioId);
  const own = spentOn(row, spent);
  return {
    scenario_id: row.scenarioId,
    name: row.scenario.name,
    status: row.status,
    reasons: row.reasons,
    facts: row.facts,
    change: changeOf(row.status, before?.status),
    previous: before
      ? { evaluation_id: before.evaluationId, version: before.version, status: before.status }
      : null,
    conversation_id: row.conversationId,
    transcript: (transcripts.get(row.conversationId ?? '') ?? []).map(shortened),
    ...total(own ? [own] : []),
    started_at: row.startedAt?.toISOString() ?? null,
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}

function spentOn({ conversationId }: CaseState, spent: SpentByConversation): Spent | undefined {
  return spent.get(conversationId ?? '');
}

function total(all: readonly Spent[]): { usage: Usage } & ReturnType<typeof wireCost> {
  const sum = (pick: (one: Spent) => number) => all.reduce((whole, one) => whole + pick(one), 0);
  return {
    usage: {
      input_tokens: sum((one) => one.inputTokens),
      cached_input_tokens: sum((one) => one.cachedInputTokens),
      output_tokens: sum((one) => one.outputTokens),
    },
    ...wireCost(sumCosts(all.map(({ cost }) => cost))),
  };
}

function shortened(message: ConversationMessage): ConversationMessage {
  if (message.content.length <= maxMessageCharacters) return message;
  const kept = message.content.slice(0, maxMessageCharacters).toWellFormed();
  return {
    ...message,
    content: `${kept} […${message.content.length - maxMessageCharacters} more characters]`,
  };
}
