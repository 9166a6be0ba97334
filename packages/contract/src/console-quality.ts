import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';

export const QualityQuery = Strict({
  bot_id: Type.Optional(Uuid),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 30 })),
});
export type QualityQuery = Static<typeof QualityQuery>;

const counts = {
  graded: Type.Integer(),
  average_score: Nullable(Type.Number({ description: 'From 0 to 1; null without a grade.' })),
  refused: Type.Integer({ description: 'Replies that were withheld.' }),
  ungraded: Type.Integer(),
  validated: Type.Integer(),
  supported: Type.Integer(),
  unsupported: Type.Integer(),
};
const exampleCounts = {
  graded: 12,
  average_score: 0.82,
  refused: 1,
  ungraded: 0,
  validated: 9,
  supported: 8,
  unsupported: 1,
};

/** What users think of the answers of the same days. */
const AnswerRatings = Type.Object({
  up: Type.Integer(),
  down: Type.Integer(),
  comments: Type.Array(
    Type.Object({
      bot_id: Uuid,
      conversation_id: Uuid,
      message_id: Uuid,
      comment: Type.String(),
      created_at: Type.String({ format: 'date-time', description: 'When the answer was given.' }),
    }),
    { description: 'What users say was wrong, of the latest answers.' },
  ),
});
export type AnswerRatings = Static<typeof AnswerRatings>;

export const QualityReport = Type.Object(
  {
    days: Type.Array(Type.Object({ date: Type.String({ examples: ['2026-11-15'] }), ...counts }), {
      description: 'Every day, in UTC, oldest first.',
    }),
    total: Type.Object(counts),
    bots: Type.Array(Type.Object({ bot_id: Uuid, ...counts }), {
      description: 'The same by bot; those without a record are left out.',
    }),
    ratings: AnswerRatings,
  },
  {
    $id: 'QualityReport',
    examples: [
      {
        days: [{ date: '2026-11-15', ...exampleCounts }],
        total: exampleCounts,
        bots: [],
        ratings: { up: 9, down: 1, comments: [] },
      },
    ],
  },
);
export type QualityReport = Static<typeof QualityReport>;

export const QualityRecordQuery = Strict({
  bot_id: Type.Optional(Uuid),
  refused: Type.Optional(Type.Boolean({ description: 'Only replies that were withheld.' })),
  unsupported: Type.Optional(
    Type.Boolean({ description: 'Only answers with a claim that no source supports.' }),
  ),
  before: Type.Optional(
    Type.String({
      ...Uuid,
      description: 'The last record of the previous page, as the Link header gives it.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
});
export type QualityRecordQuery = Static<typeof QualityRecordQuery>;

export const ReviewedReply = Type.Object(
  {
    id: Uuid,
    bot_id: Uuid,
    conversation_id: Uuid,
    message_id: Uuid,
    question: Nullable(Type.String({ description: 'What the user wrote, shortened.' })),
    answer: Nullable(Type.String({ description: 'What the user was sent, shortened.' })),
    sources: Type.Array(Type.Object({ title: Type.String(), quote: Type.String() })),
    grading: Nullable(OneOf(['graded', 'ungraded'])),
    score: Nullable(Type.Number()),
    ungraded_because: Nullable(Type.String()),
    refused: Type.Boolean(),
    refused_text: Nullable(Type.String({ description: 'What was withheld.' })),
    validation: Nullable(OneOf(['pending', 'validated', 'failed'])),
    validation_problem: Nullable(Type.String()),
    verdict: Nullable(OneOf(['supported', 'unsupported'])),
    unsupported_claims: Type.Array(Type.String()),
    created_at: Timestamp,
  },
  {
    $id: 'ReviewedReply',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e91',
        conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e92',
        message_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
        question: 'Can I send it back?',
        answer: 'Within 30 days, and we pay for the parcel.',
        sources: [{ title: 'Returns.pdf', quote: 'Within 30 days.' }],
        grading: 'graded',
        score: 0.74,
        ungraded_because: null,
        refused: false,
        refused_text: null,
        validation: 'validated',
        validation_problem: null,
        verdict: 'unsupported',
        unsupported_claims: ['we pay for the parcel'],
        created_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type ReviewedReply = Static<typeof ReviewedReply>;
