import type {
  AgentOverview,
  RunCalendar,
  RunCalendarQuery,
  RunEntry,
  RunHistoryQuery,
} from '@svc/contract/run-history';
import { findSchedule, findTimeZone, slotsWithin } from '../../bots/bots.service.ts';
import { type BriefBot, listAgents, namesOfBots } from '../../bots/brief/bot-brief.service.ts';
import { invalid } from '../../lib/app-error.ts';
import type { HistoryCursor } from '../../runs/runs.service.ts';
import type { Services } from '../../services.ts';
import { type SlotRow, slotStore } from '../schedules/schedules.store.ts';
import { layOutCalendar } from './calendar.ts';
import { daysOf } from './month.ts';
import { type PlacedEntry, runEntry, slotEntry, toOverview } from './run-history.wire.ts';

export type RunHistoryService = ReturnType<typeof createRunHistoryService>;

const defaultLimit = 50;
const maxAgents = 500;
const shownSlots = 20;
/** A calendar shows no more runs than these, the newest. */
const maxRuns = 20_000;
const maxPassedSlots = 5_000;
/** Agents whose slots to come are computed. */
const maxPlannedAgents = 100;

/** What has become of agents' runs and slots, and what is to come. */
export function createRunHistoryService({
  database,
  bots,
  runs,
  billing,
  clock,
}: Pick<Services, 'billing' | 'bots' | 'clock' | 'database' | 'runs'>) {
  return {
    /** Runs and the slots of which no run came, newest first. */
    async list(
      workspaceId: string,
      query: RunHistoryQuery,
    ): Promise<{ entries: RunEntry[]; next: string | undefined }> {
      if (query.bot_id) await bots.getRow(workspaceId, query.bot_id);
      const limit = query.limit ?? defaultLimit;
      const page = {
        limit: limit + 1,
        ...(query.before !== undefined && { before: readCursor(query.before) }),
      };
      const found = [
        ...(await listRuns(workspaceId, query, page)),
        ...(await listSlots(workspaceId, query, page)),
      ].toSorted(compareCursors);
      const shown = found.slice(0, limit);
      const names = await namesOfBots(
        database,
        workspaceId,
        shown.map(({ entry }) => entry.bot_id),
      );
      const last = shown.at(-1);
      return {
        entries: shown.map(({ entry }) => ({ ...entry, bot_name: names.get(entry.bot_id) ?? '' })),
        next: found.length > limit && last ? toCursor(last) : undefined,
      };
    },

    /** Every agent with its next slot, its last ones and the run that is not over. */
    async overview(workspaceId: string): Promise<AgentOverview[]> {
      const agents = await listAgents(database, workspaceId, maxAgents);
      const open = await runs.openByAgent(workspaceId);
      const slots = await slotStore.listNewest(database.within(workspaceId), workspaceId, shownSlots);
      const listed = new Set(agents.map(({ id }) => id));
      const fired = slots.filter(({ botId, conversationId }) => conversationId !== null && listed.has(botId));
      const started = await runs.listScheduled(workspaceId, {
        conversationIds: [...new Set(fired.flatMap(({ conversationId }) => conversationId ?? []))],
        startedAt: fired.map(({ notedAt }) => notedAt),
      });
      const byBot = Map.groupBy(slots, ({ botId }) => botId);
      const runsByBot = Map.groupBy(started, ({ botId }) => botId);
      return Promise.all(
        agents.map((bot) =>
          toOverview(bot, {
            open: open.get(bot.id),
            slots: byBot.get(bot.id) ?? [],
            runs: runsByBot.get(bot.id) ?? [],
          }),
        ),
      );
    },

    /** What happened in a month and what is planned, day by day. */
    async calendar(workspaceId: string, query: RunCalendarQuery): Promise<RunCalendar> {
      const { month, time_zone: zoneName = 'UTC', bot_id: botId } = query;
      const zone = findTimeZone(zoneName);
      if (!zone) throw invalid('time_zone', 'is not a known time zone');
      if (botId) await bots.getRow(workspaceId, botId);
      const days = daysOf(month, zone);
      const [from, until] = [days[0]?.from ?? new Date(0), days.at(-1)?.until ?? new Date(0)];
      const within = { from, until, ...(botId !== undefined && { botId }) };
      const started = await runs.listStarted(workspaceId, { ...within, limit: maxRuns + 1 });
      const passed = await slotStore.listPassed(database.within(workspaceId), workspaceId, {
        ...within,
        limit: maxPassedSlots + 1,
      });
      const agents = (await listAgents(database, workspaceId, maxAgents)).filter(
        ({ id, nextRunAt }) =>
          nextRunAt !== null && nextRunAt < until && (botId === undefined || id === botId),
      );
      const names = await namesOfBots(
        database,
        workspaceId,
        [...started, ...passed, ...agents.map(({ id }) => ({ botId: id }))].map((one) => one.botId),
      );
      return {
        month,
        time_zone: zone.name,
        truncated:
          started.length > maxRuns || passed.length > maxPassedSlots || agents.length > maxPlannedAgents,
        days: await layOutCalendar({
          days,
          runs: started.slice(0, maxRuns),
          slots: passed.slice(0, maxPassedSlots),
          planned: agents.slice(0, maxPlannedAgents).map((bot) => ({
            botId: bot.id,
            slots: plannedSlots(bot, { from, until, now: clock.now() }),
          })),
          names,
        }),
      };
    },
  };

  async function listRuns(
    workspaceId: string,
    { bot_id: botId, status, trigger }: RunHistoryQuery,
    page: Page,
  ): Promise<PlacedEntry[]> {
    if (status === 'skipped') return [];
    const rows = await runs.list(workspaceId, {
      ...page,
      ...(botId !== undefined && { bot_id: botId }),
      ...(status !== undefined && { status }),
      ...(trigger !== undefined && { trigger }),
    });
    const costs = await billing.costOfTurns(workspaceId, rows);
    return rows.map((row) => runEntry(row, costs.get(row.turnId)));
  }

  async function listSlots(
    workspaceId: string,
    { bot_id: botId, status, trigger }: RunHistoryQuery,
    page: Page,
  ): Promise<PlacedEntry[]> {
    const isWanted = status === undefined || status === 'skipped' || status === 'failed';
    if (!isWanted || (trigger !== undefined && trigger !== 'schedule')) return [];
    const rows: SlotRow[] = await slotStore.listPassed(database.within(workspaceId), workspaceId, {
      ...page,
      ...(botId !== undefined && { botId }),
      ...(status !== undefined && { hasFailed: status === 'failed' }),
    });
    return rows.map(slotEntry);
  }
}

type Page = { limit: number; before?: { at: Date; key: string } };

/** The next slot is the one that the agent has on record: slots that were settled early do not come again. */
function* plannedSlots(
  { schedule: text, nextRunAt }: BriefBot,
  { from, until, now }: { from: Date; until: Date; now: Date },
): Generator<number> {
  const schedule = text === null ? undefined : findSchedule(text);
  if (!schedule || !nextRunAt) return;
  const first = Math.max(nextRunAt.getTime(), now.getTime() - 3_600_000, from.getTime());
  yield* slotsWithin(schedule, { after: new Date(first - 1), until: new Date(until.getTime() - 1) });
}

/** The cursor of a page: the time of its last entry and what orders entries of the same time. */
function toCursor({ at, key }: HistoryCursor): string {
  return `${at.toISOString()}~${key}`;
}

function readCursor(text: string): HistoryCursor {
  const [time = '', key = '', ...rest] = text.split('~');
  const at = new Date(time);
  // Years that PostgreSQL writes differently are in no cursor.
  const isTime = /^[12]\d{3}-/.test(time) && !Number.isNaN(at.getTime());
  if (!isTime || key === '' || rest.length > 0) {
    throw invalid('before', 'is not a cursor of this list');
  }
  return { at, key };
}

/** Newest first. */
function compareCursors(one: HistoryCursor, other: HistoryCursor): number {
  const between = other.at.getTime() - one.at.getTime();
  if (between !== 0) return between;
  return one.key < other.key ? 1 : -1;
}
