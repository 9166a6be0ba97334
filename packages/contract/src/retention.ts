import { type Static, Type } from 'typebox';
import { AllOptional, Nullable, OneOf, Strict, Timestamp } from './common.ts';

/** What a workspace can let end, in the order in which a round deletes it. */
export const retentionKinds = ['traces', 'events', 'recordings', 'audit', 'conversations'] as const;
export type RetentionKind = (typeof retentionKinds)[number];

export const retentionDays = { min: 1, max: 3_650, minOfAudit: 30 };
/** How long entries of the audit log are kept unless a workspace says otherwise. */
export const usualAuditDays = 400;

const days = (description: string, minimum = retentionDays.min) =>
  Nullable(Type.Integer({ minimum, maximum: retentionDays.max, description }));

const settings = {
  conversations_days: days(
    'Conversations without any activity for so many days, with all that belongs to them.',
  ),
  traces_days: days('Steps of traces.'),
  events_days: days('Events of turns that are over. Messages stay.'),
  recordings_days: days("Recordings of calls. A bot's own `recording_retention_days` may be shorter."),
  audit_days: days('Entries of the audit log.', retentionDays.minOfAudit),
};

const example = {
  conversations_days: 365,
  traces_days: 30,
  events_days: 90,
  recordings_days: null,
  audit_days: 400,
};

/** All settings: days, or null for what is kept for ever. */
export const RetentionUpdate = Strict(settings, { examples: [example] });
export type RetentionUpdate = Static<typeof RetentionUpdate>;

const counts = (description: string) =>
  Type.Object(
    {
      conversations: Type.Integer(),
      traces: Type.Integer(),
      events: Type.Integer(),
      recordings: Type.Integer(),
      audit: Type.Integer(),
    },
    { description },
  );

export const Retention = Type.Object(
  {
    ...settings,
    last_round: Nullable(
      Type.Object({
        started_at: Timestamp,
        ended_at: Timestamp,
        deleted: counts('How many were deleted. What goes with a conversation is not counted again.'),
      }),
    ),
  },
  {
    $id: 'Retention',
    examples: [
      {
        ...example,
        last_round: {
          started_at: '2026-11-15T09:00:00.000Z',
          ended_at: '2026-11-15T09:00:04.000Z',
          deleted: { conversations: 12, traces: 840, events: 2_210, recordings: 0, audit: 3 },
        },
      },
    ],
  },
);
export type Retention = Static<typeof Retention>;

/** Settings that are tried out. Those that are left out are as they are stored. */
export const RetentionProposal = Strict(AllOptional(settings), { examples: [{ conversations_days: 365 }] });
export type RetentionProposal = Static<typeof RetentionProposal>;

export const RetentionPreview = Type.Object(
  {
    kinds: Type.Array(
      Type.Object({
        kind: OneOf<RetentionKind[]>([...retentionKinds]),
        days: Nullable(Type.Integer()),
        deleted: Type.Integer({ description: 'How many would be deleted now.' }),
        is_at_least: Type.Boolean({
          description: 'Only the 10,000 oldest were looked at: there may be more to delete.',
        }),
        oldest_kept: Nullable(
          Type.String({
            ...Timestamp,
            description:
              'When the oldest began that would stay; null if there is none, or if it is not known.',
          }),
        ),
      }),
    ),
  },
  {
    $id: 'RetentionPreview',
    examples: [
      {
        kinds: [
          {
            kind: 'conversations',
            days: 365,
            deleted: 1_204,
            is_at_least: false,
            oldest_kept: '2025-11-15T11:02:09.120Z',
          },
        ],
      },
    ],
  },
);
export type RetentionPreview = Static<typeof RetentionPreview>;
