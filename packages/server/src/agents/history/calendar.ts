import { setImmediate as nextTick } from 'node:timers/promises';
import type { CalendarEntry, RunCalendar } from '@svc/contract/run-history';
import type { StartedRun } from '../../runs/runs.service.ts';
import type { SlotRow } from '../schedules/schedules.store.ts';
import { type CalendarDay, dayIndex } from './month.ts';

/** How many items of one bot a day lists; all of them are counted. */
const maxItems = 8;

type Item = CalendarEntry['items'][number];
type Count = keyof CalendarEntry['counts'];

interface CalendarInput {
  days: readonly CalendarDay[];
  runs: readonly StartedRun[];
  slots: readonly SlotRow[];
  /** The slots to come, by agent, in order. */
  planned: Iterable<{ botId: string; slots: Iterable<number> }>;
  /** Names of bots by id. */
  names: ReadonlyMap<string, string>;
}

/** What happened on each day of a month and what is planned, by bot. */
export async function layOutCalendar({
  days,
  runs,
  slots,
  planned,
  names,
}: CalendarInput): Promise<RunCalendar['days']> {
  const entries = days.map(() => new Map<string, CalendarEntry>());

  function add(botId: string, moment: number, count: Count, item: () => Omit<Item, 'at'>): void {
    const day = entries[dayIndex(days, moment)];
    if (!day) return;
    const entry = day.get(botId) ?? emptyEntry(botId, names.get(botId) ?? '');
    day.set(botId, entry);
    entry.counts[count] += 1;
    if (entry.items.length < maxItems) entry.items.push({ at: new Date(moment).toISOString(), ...item() });
  }

  // Runs and slots arrive newest first.
  for (const { botId, startedAt, status, conversationId, error } of runs.toReversed()) {
    add(botId, startedAt.getTime(), countOf(status), () => ({
      kind: 'run',
      status,
      conversation_id: conversationId,
      reason: error?.message ?? null,
    }));
  }
  for (const { botId, slotAt, outcome, reason } of slots.toReversed()) {
    const hasFailed = outcome === 'failed';
    add(botId, slotAt.getTime(), hasFailed ? 'failed' : 'skipped', () => ({
      kind: 'slot',
      status: hasFailed ? 'failed' : 'skipped',
      conversation_id: null,
      reason,
    }));
  }
  for (const { botId, slots: moments } of planned) {
    for (const moment of moments) {
      add(botId, moment, 'planned', () => ({
        kind: 'planned',
        status: null,
        conversation_id: null,
        reason: null,
      }));
    }
    // Every minute of a month takes about 10 ms; other requests are served between two agents.
    await nextTick();
  }
  return days.map(({ date }, index) => ({
    date,
    entries: [...(entries[index]?.values() ?? [])]
      .map((entry) => ({
        ...entry,
        items: entry.items.toSorted((one, other) => (one.at < other.at ? -1 : 1)),
      }))
      .toSorted((one, other) => one.bot_name.localeCompare(other.bot_name)),
  }));
}

function emptyEntry(botId: string, name: string): CalendarEntry {
  return {
    bot_id: botId,
    bot_name: name,
    counts: { completed: 0, failed: 0, open: 0, skipped: 0, planned: 0 },
    items: [],
  };
}

function countOf(status: StartedRun['status']): Count {
  if (status === 'completed') return 'completed';
  return status === 'running' || status === 'paused' ? 'open' : 'failed';
}
