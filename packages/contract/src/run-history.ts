import { type Static, Type } from 'typebox';
import { knownCost, Nullable, OneOf, Timestamp, Uuid } from './common.ts';
import { RunStatus, RunTrigger, RunWebhook, runStatuses } from './conversations.ts';
import { ScheduleSlot } from './schedules.ts';

/** What the history can be filtered by: the status of a run, or slots of which no run came. */
const HistoryStatus = OneOf([...runStatuses, 'skipped']);
export type HistoryStatus = Static<typeof HistoryStatus>;

export const RunEntry = Type.Object(
  {
    kind: OneOf(['run', 'slot'], { description: '`slot`: a slot of a schedule of which no run came.' }),
    id: Type.String({ description: 'The id of the run; of a slot, a text that is unique in this list.' }),
    bot_id: Uuid,
    bot_name: Type.String(),
    status: HistoryStatus,
    trigger: RunTrigger,
    conversation_id: Nullable(Uuid),
    at: Type.String({ format: 'date-time', description: 'When the run started, or the time of the slot.' }),
    ended_at: Nullable(Timestamp),
    deadline_at: Nullable(Timestamp),
    iterations: Type.Integer(),
    max_iterations: Type.Integer(),
    payload: Nullable(Type.String({ description: 'The instructions of this run, shortened.' })),
    reason: Nullable(Type.String({ description: 'Why it failed, or why no run was started.' })),
    ...knownCost,
    webhook: Nullable(RunWebhook),
  },
  {
    $id: 'RunEntry',
    examples: [
      {
        kind: 'run',
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e97',
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        bot_name: 'Restocker',
        status: 'completed',
        trigger: 'schedule',
        conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
        at: '2026-11-16T08:00:00.412Z',
        ended_at: '2026-11-16T08:01:10.000Z',
        deadline_at: '2026-11-16T09:00:00.412Z',
        iterations: 7,
        max_iterations: 25,
        payload: null,
        reason: null,
        cost_usd: '0.014200',
        unpriced_models: [],
        webhook: null,
      },
    ],
  },
);
export type RunEntry = Static<typeof RunEntry>;

export const RunHistoryQuery = Type.Unsafe<{
  bot_id?: string;
  status?: HistoryStatus;
  trigger?: Static<typeof RunTrigger>;
  limit?: number;
  before?: string;
}>({
  type: 'object',
  additionalProperties: false,
  properties: {
    bot_id: Uuid,
    status: HistoryStatus,
    trigger: RunTrigger,
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    before: {
      type: 'string',
      maxLength: 100,
      description: 'The cursor of the next page, as the Link header gives it.',
    },
  },
});
export type RunHistoryQuery = Static<typeof RunHistoryQuery>;

export const AgentOverview = Type.Object(
  {
    bot_id: Uuid,
    name: Type.String(),
    status: OneOf(['active', 'inactive']),
    has_goal: Type.Boolean({ description: 'An agent without a goal cannot run.' }),
    schedule: Nullable(Type.String()),
    description: Nullable(Type.String({ description: 'The schedule in plain English.' })),
    time_zone: Nullable(Type.String()),
    next_run_at: Nullable(Timestamp),
    last_run_at: Nullable(Timestamp),
    open_run: Nullable(
      Type.Object({
        id: Uuid,
        conversation_id: Uuid,
        status: RunStatus,
        started_at: Timestamp,
        iterations: Type.Integer(),
        max_iterations: Type.Integer(),
      }),
    ),
    recent: Type.Array(
      Type.Object({
        ...ScheduleSlot.properties,
        run_status: Nullable(RunStatus),
      }),
      { description: 'Its last slots, newest first, at most 20, each with the status of its run.' },
    ),
  },
  {
    $id: 'AgentOverview',
    examples: [
      {
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        name: 'Restocker',
        status: 'active',
        has_goal: true,
        schedule: 'TZ=Europe/Berlin 0 9 * * 1-5',
        description: 'At 09:00, Monday through Friday (Europe/Berlin)',
        time_zone: 'Europe/Berlin',
        next_run_at: '2026-11-17T08:00:00.000Z',
        last_run_at: '2026-11-16T08:00:00.412Z',
        open_run: null,
        recent: [
          {
            slot_at: '2026-11-16T08:00:00.000Z',
            outcome: 'fired',
            reason: null,
            conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93',
            noted_at: '2026-11-16T08:00:00.412Z',
            run_status: 'completed',
          },
        ],
      },
    ],
  },
);
export type AgentOverview = Static<typeof AgentOverview>;

export const RunCalendarQuery = Type.Unsafe<{ month: string; time_zone?: string; bot_id?: string }>({
  type: 'object',
  additionalProperties: false,
  required: ['month'],
  properties: {
    month: {
      type: 'string',
      pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
      'x-expected': 'a month such as 2026-11',
      examples: ['2026-11'],
    },
    time_zone: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      description: 'The time zone whose days are shown; UTC by default.',
    },
    bot_id: Uuid,
  },
});
export type RunCalendarQuery = Static<typeof RunCalendarQuery>;

const CalendarEntry = Type.Object({
  bot_id: Uuid,
  bot_name: Type.String(),
  counts: Type.Object({
    completed: Type.Integer(),
    failed: Type.Integer({ description: 'Failed, timed out, interrupted or out of iterations.' }),
    open: Type.Integer({ description: 'Running or paused.' }),
    skipped: Type.Integer(),
    planned: Type.Integer(),
  }),
  items: Type.Array(
    Type.Object({
      at: Timestamp,
      kind: OneOf(['run', 'slot', 'planned']),
      status: Nullable(HistoryStatus),
      conversation_id: Nullable(Uuid),
      reason: Nullable(Type.String()),
    }),
    { description: 'The first of them, in order of time; at most 8 for each bot and day.' },
  ),
});
export type CalendarEntry = Static<typeof CalendarEntry>;

export const RunCalendar = Type.Object(
  {
    month: Type.String(),
    time_zone: Type.String(),
    truncated: Type.Boolean({
      description:
        'There is more than a calendar shows: the oldest runs, or what is planned for some agents, is left out.',
    }),
    days: Type.Array(Type.Object({ date: Type.String(), entries: Type.Array(CalendarEntry) })),
  },
  {
    $id: 'RunCalendar',
    examples: [
      {
        month: '2026-11',
        time_zone: 'Europe/Berlin',
        truncated: false,
        days: [{ date: '2026-11-01', entries: [] }],
      },
    ],
  },
);
export type RunCalendar = Static<typeof RunCalendar>;
