import { type Static, Type } from 'typebox';
import { knownCost, Nullable, Strict } from './common.ts';

/** What usage can be grouped by, in the order of the rows. */
export const usageKeys = ['day', 'bot', 'model', 'channel', 'external_user_id'] as const;
export type UsageKey = (typeof usageKeys)[number];

export const UsageQuery = Strict({
  from: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'A date, or a time (RFC 3339); 30 days before `to` when left out. Days are those of UTC.',
      examples: ['2026-01-01'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'A date (inclusive) or a time (exclusive); now when left out.',
      examples: ['2026-01-31'],
    }),
  ),
  by: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `What to group by: one or more of ${usageKeys.join(', ')}, separated by commas. A single row when left out.`,
      examples: ['day,model'],
    }),
  ),
});
export type UsageQuery = Static<typeof UsageQuery>;

const UsageReportRow = Type.Object({
  day: Type.Optional(Type.String({ description: 'With `by=day`: such as 2026-01-31, in UTC.' })),
  bot: Type.Optional(
    Nullable(Type.String({ description: 'With `by=bot`: its id; null for usage outside conversations.' })),
  ),
  model: Type.Optional(Type.String({ description: 'With `by=model`: `provider/model`.' })),
  channel: Type.Optional(
    Nullable(
      Type.String({
        description: 'With `by=channel`: such as `widget`; null for usage outside conversations.',
      }),
    ),
  ),
  external_user_id: Type.Optional(
    Nullable(Type.String({ description: 'With `by=external_user_id`; null for usage without a user.' })),
  ),
  turns: Type.Integer({
    description: 'The number of turns; a turn that spans midnight counts on both days.',
  }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  call_seconds: Type.Integer({ description: 'How long calls by telephone and microphone lasted.' }),
  ...knownCost,
});
export type UsageReportRow = Static<typeof UsageReportRow>;

export const UsageReport = Type.Object(
  {
    balance_usd: Nullable(
      Type.String({ description: 'The credit minus what was spent; null when it is unlimited.' }),
    ),
    usd_per_day: Type.String({
      description: 'The average of the last 7 days, as far as prices are known.',
    }),
    days_left: Nullable(
      Type.Number({ description: 'How long the balance lasts at this pace; null if it is not used up.' }),
    ),
    rows: Type.Array(UsageReportRow),
  },
  {
    $id: 'UsageReport',
    examples: [
      {
        balance_usd: '12.5',
        usd_per_day: '1.04',
        days_left: 12,
        rows: [
          {
            day: '2026-01-31',
            turns: 3,
            input_tokens: 4200,
            output_tokens: 900,
            call_seconds: 95,
            cost_usd: '0.0195',
            unpriced_models: [],
          },
        ],
      },
    ],
  },
);
export type UsageReport = Static<typeof UsageReport>;
