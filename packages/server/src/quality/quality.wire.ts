import type { ReviewedReply } from '@svc/contract/console-quality';
import type { DayCounts, QualityRow, RecordWithTexts } from './quality.store.ts';

const maxQuoteCharacters = 1_000;

/** The quality of one reply, for operators only: no operation of v1 returns it. */
export type QualityRecord = ReturnType<typeof toWire>;

export function toReview({ record, question, answer, citations }: RecordWithTexts): ReviewedReply {
  const { turn_id: _turn, validated_at: _at, ...shown } = toWire(record);
  return {
    ...shown,
    question,
    answer,
    sources: (citations ?? []).map(({ title, quote }) => ({
      title,
      quote: quote.slice(0, maxQuoteCharacters),
    })),
  };
}

export interface QualityDay extends QualityCounts {
  /** In UTC. */
  date: string;
}

export type QualityCounts = ReturnType<typeof toWireCounts>;

export function toWire(row: QualityRow) {
  return {
    id: row.id,
    bot_id: row.botId,
    conversation_id: row.conversationId,
    turn_id: row.turnId,
    message_id: row.messageId,
    grading: row.grading,
    score: row.score,
    ungraded_because: row.ungradedBecause,
    refused: row.refused,
    refused_text: row.refusedText,
    validation: row.validation,
    validation_problem: row.validationProblem,
    verdict: row.verdict,
    unsupported_claims: row.unsupportedClaims,
    created_at: row.createdAt.toISOString(),
    validated_at: row.validatedAt?.toISOString() ?? null,
  };
}

export function toWireCounts(counts: Omit<DayCounts, 'day'>) {
  const { graded, averageScore, refused, ungraded, validated, supported, unsupported } = counts;
  const average_score = averageScore === null ? null : Math.round(averageScore * 10_000) / 10_000;
  return { graded, average_score, refused, ungraded, validated, supported, unsupported };
}
