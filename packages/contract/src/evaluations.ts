import { type Static, Type } from 'typebox';
import { knownCost, Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';
import { ConversationMessage, Usage } from './conversations.ts';
import { maxScenarios } from './scenarios.ts';

const fields = Strict({
  scenario_ids: Type.Optional(
    Type.Array(Uuid, {
      minItems: 1,
      maxItems: maxScenarios,
      uniqueItems: true,
      description: "Left out: all of the bot's scenarios.",
    }),
  ),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 999_999_999,
      description: "A version of the bot's configuration to evaluate; left out: the current one.",
    }),
  ),
});

/** The body is optional: the validator sees `null` when it is missing. */
export const EvaluationCreate = Type.Unsafe<Static<typeof fields> | null | undefined>({
  ...fields,
  type: ['object', 'null'],
  examples: [{}, { scenario_ids: ['0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95'], version: 3 }],
});
export type EvaluationCreate = Static<typeof EvaluationCreate>;

export const EvaluationStatus = OneOf(['running', 'completed', 'failed', 'stopped'], {
  description:
    '`completed`: every case was run, whatever its outcome. `failed`: it could not continue, `error` says why.',
});
export type EvaluationStatus = Static<typeof EvaluationStatus>;

export const CaseStatus = OneOf(['pending', 'running', 'passed', 'failed', 'error', 'skipped'], {
  description:
    '`error`: the case could not be decided, and counts as not passed. `skipped`: the evaluation ended before the case did.',
});
export type CaseStatus = Static<typeof CaseStatus>;

export const StartedEvaluation = Type.Object(
  { id: Uuid, status: EvaluationStatus },
  { examples: [{ id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e96', status: 'running' }] },
);
export type StartedEvaluation = Static<typeof StartedEvaluation>;

const EvaluationError = Type.Object({ code: Type.String(), message: Type.String() });

const evaluationProperties = {
  id: Uuid,
  bot_id: Uuid,
  version: Type.Integer({ description: "The version of the bot's configuration that was evaluated." }),
  status: EvaluationStatus,
  counts: Type.Object(
    {
      total: Type.Integer(),
      passed: Type.Integer(),
      failed: Type.Integer(),
      error: Type.Integer(),
      skipped: Type.Integer(),
      pending: Type.Integer({ description: 'Not decided yet, including the one in progress.' }),
    },
    { description: 'The progress and the outcome.' },
  ),
  error: Nullable(EvaluationError),
  usage: Usage,
  ...knownCost,
  created_by: Uuid,
  created_at: Timestamp,
  ended_at: Nullable(Timestamp),
};

const evaluationExample = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e96',
  bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
  version: 4,
  status: 'completed',
  counts: { total: 1, passed: 0, failed: 1, error: 0, skipped: 0, pending: 0 },
  error: null,
  usage: { input_tokens: 912, cached_input_tokens: 0, output_tokens: 140 },
  cost_usd: '0.000508',
  unpriced_models: [],
  created_by: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e91',
  created_at: '2026-11-15T09:30:00.000Z',
  ended_at: '2026-11-15T09:30:09.000Z',
};

export const Evaluation = Type.Object(
  {
    ...evaluationProperties,
    outcomes: Type.Array(Type.Object({ scenario_id: Uuid, status: CaseStatus }), {
      description: 'The status of each of its cases, in the order in which they are run.',
    }),
  },
  {
    $id: 'Evaluation',
    examples: [
      {
        ...evaluationExample,
        outcomes: [{ scenario_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95', status: 'failed' }],
      },
    ],
  },
);
export type Evaluation = Static<typeof Evaluation>;

export const CaseReason = Type.Object(
  {
    kind: OneOf(['fact_missing', 'not_called', 'called', 'error']),
    fact: Type.Optional(Type.String({ description: 'Of `fact_missing`: the fact that does not hold.' })),
    function: Type.Optional(Type.String({ description: 'Of `not_called` and `called`: the function.' })),
    code: Type.Optional(Type.String({ description: 'Of `error`.' })),
    message: Type.String({ description: "One sentence; of `fact_missing` the judge's explanation." }),
  },
  { description: 'Why a case did not pass.' },
);
export type CaseReason = Static<typeof CaseReason>;

export const JudgedFact = Type.Object({
  fact: Type.String(),
  holds: Type.Boolean(),
  explanation: Type.String(),
});
export type JudgedFact = Static<typeof JudgedFact>;

export const CaseChange = OneOf(['newly_failing', 'newly_passing', 'still_failing', 'new', 'unchanged'], {
  description: '`unchanged` passed before and now; `new` was never decided before.',
});
export type CaseChange = Static<typeof CaseChange>;

export const EvaluationCase = Type.Object({
  scenario_id: Uuid,
  name: Type.String(),
  status: CaseStatus,
  reasons: Type.Array(CaseReason),
  facts: Type.Array(JudgedFact),
  change: Nullable(CaseChange),
  previous: Nullable(
    Type.Object(
      { evaluation_id: Uuid, version: Type.Integer(), status: CaseStatus },
      { description: 'The previous evaluation that decided this scenario.' },
    ),
  ),
  conversation_id: Nullable(
    Type.String({
      format: 'uuid',
      description: '`GET /api/v1/conversations/{id}` has the whole conversation.',
    }),
  ),
  transcript: Type.Array(ConversationMessage, { description: 'Long messages are cut.' }),
  usage: Usage,
  ...knownCost,
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
});
export type EvaluationCase = Static<typeof EvaluationCase>;

const ScenarioIds = Type.Array(Uuid);

export const Comparison = Type.Object(
  {
    newly_failing: ScenarioIds,
    newly_passing: ScenarioIds,
    still_failing: ScenarioIds,
    new: ScenarioIds,
    unchanged: ScenarioIds,
  },
  { description: 'Scenarios by what changed since each was last decided.' },
);
export type Comparison = Static<typeof Comparison>;

export const EvaluationDetail = Type.Object(
  { ...evaluationProperties, comparison: Comparison, cases: Type.Array(EvaluationCase) },
  {
    $id: 'EvaluationDetail',
    examples: [
      {
        ...evaluationExample,
        comparison: {
          newly_failing: ['0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95'],
          newly_passing: [],
          still_failing: [],
          new: [],
          unchanged: [],
        },
        cases: [
          {
            scenario_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95',
            name: 'A parcel that is late',
            status: 'failed',
            reasons: [
              {
                kind: 'fact_missing',
                fact: 'It arrives on Tuesday.',
                message: 'The answer names no day.',
              },
            ],
            facts: [
              { fact: 'It arrives on Tuesday.', holds: false, explanation: 'The answer names no day.' },
            ],
            change: 'newly_failing',
            previous: {
              evaluation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e92',
              version: 3,
              status: 'passed',
            },
            conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
            transcript: [],
            usage: { input_tokens: 912, cached_input_tokens: 0, output_tokens: 140 },
            cost_usd: '0.000508',
            unpriced_models: [],
            started_at: '2026-11-15T09:30:00.000Z',
            ended_at: '2026-11-15T09:30:09.000Z',
          },
        ],
      },
    ],
  },
);
export type EvaluationDetail = Static<typeof EvaluationDetail>;

export const EvaluationParams = Type.Object({ id: Uuid, evaluation_id: Uuid });

export const EvaluationQuery = Type.Unsafe<{ limit?: number; before?: string }>({
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    before: { ...Uuid, description: 'The cursor of the next page, as the Link header gives it.' },
  },
});
export type EvaluationQuery = Static<typeof EvaluationQuery>;
