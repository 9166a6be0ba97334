import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';

export const SlotOutcome = OneOf(['fired', 'skipped_busy', 'skipped_late', 'failed'], {
  description:
    '`fired`: a run started. `skipped_busy`: the previous run was still in progress. `skipped_late`: the slot was more than an hour late, or a later one was due as well. `failed`: no run could be started.',
});
export type SlotOutcome = Static<typeof SlotOutcome>;

export const ScheduleSlot = Type.Object({
  slot_at: Timestamp,
  outcome: SlotOutcome,
  reason: Nullable(Type.String({ description: 'Why no run was started.' })),
  conversation_id: Nullable(Uuid),
  noted_at: Timestamp,
});
export type ScheduleSlot = Static<typeof ScheduleSlot>;

export const AgentSchedule = Type.Object(
  {
    schedule: Nullable(Type.String()),
    description: Nullable(Type.String({ description: 'The schedule in plain English.' })),
    time_zone: Nullable(Type.String()),
    next_run_at: Nullable(Timestamp),
    last_run_at: Nullable(Timestamp),
    recent: Type.Array(ScheduleSlot, {
      description: 'The outcome of its slots, newest first, at most 200.',
    }),
  },
  {
    $id: 'AgentSchedule',
    examples: [
      {
        schedule: 'TZ=Europe/Berlin 0 9 * * 1-5',
        description: 'At 09:00, Monday through Friday (Europe/Berlin)',
        time_zone: 'Europe/Berlin',
        next_run_at: '2026-11-17T08:00:00.000Z',
        last_run_at: '2026-11-16T08:00:00.412Z',
        recent: [
          {
            slot_at: '2026-11-16T08:00:00.000Z',
            outcome: 'fired',
            reason: null,
            conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
            noted_at: '2026-11-16T08:00:00.412Z',
          },
        ],
      },
    ],
  },
);
export type AgentSchedule = Static<typeof AgentSchedule>;

export const SchedulePreviewRequest = Strict(
  {
    schedule: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Five cron fields, with `TZ=Area/City` before them where it is not UTC.',
    }),
    time_zone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The time zone of a schedule that names none itself, in place of UTC.',
      }),
    ),
  },
  { examples: [{ schedule: '0 9 * * 1-5', time_zone: 'Europe/Berlin' }] },
);
export type SchedulePreviewRequest = Static<typeof SchedulePreviewRequest>;

export const SchedulePreview = Type.Object(
  {
    schedule: Type.String({ description: 'The schedule as a bot would store it, with its time zone.' }),
    description: Type.String({ description: 'The schedule in plain English.' }),
    time_zone: Type.String(),
    next: Type.Array(Timestamp, { description: 'The next five slots.' }),
  },
  {
    $id: 'SchedulePreview',
    examples: [
      {
        schedule: 'TZ=Europe/Berlin 0 9 * * 1-5',
        description: 'At 09:00, Monday through Friday (Europe/Berlin)',
        time_zone: 'Europe/Berlin',
        next: [
          '2026-11-17T08:00:00.000Z',
          '2026-11-18T08:00:00.000Z',
          '2026-11-19T08:00:00.000Z',
          '2026-11-20T08:00:00.000Z',
          '2026-11-23T08:00:00.000Z',
        ],
      },
    ],
  },
);
export type SchedulePreview = Static<typeof SchedulePreview>;
