import type { AgentSchedule, SchedulePreview, SchedulePreviewRequest } from '@svc/contract/schedules';
import {
  type BotRow,
  describeSchedule,
  findTimeZone,
  nextSlot,
  parseSchedule,
} from '../../bots/bots.service.ts';
import { isConnectionFailure, isDeadlock, type Transaction } from '../../database/database.ts';
import { AppError, invalid, notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import { slotStore } from './schedules.store.ts';
import { toWire } from './schedules.wire.ts';
import { type Agent, dueAt, type Firing, type Settled, settleSlots } from './settle-slots.ts';

/** How runs are started. */
export interface RunAdmission {
  /** In the caller's transaction; call `begin` after the commit. Throws when no run can be started. */
  admitRun(
    tx: Transaction,
    wanted: {
      workspaceId: string;
      bot: BotRow;
      trigger: 'schedule';
      actsFor: string | undefined;
      now: Date;
    },
  ): Promise<{ kind: 'admitted'; conversationId: string; begin(): void } | { kind: 'busy' }>;
}

export type ScheduleService = ReturnType<typeof createScheduleService>;

const batchSize = 100;
const concurrency = 4;

export function createScheduleService(
  dependencies: Pick<Services, 'bots' | 'clock' | 'database' | 'log' | 'noteChange'> & { runs: RunAdmission },
) {
  const { database, bots, runs, noteChange, clock, log } = dependencies;
  let stopped = false;
  return {
    /** Starts a run for every slot that is due. All nodes do this all the time; each slot fires on one of them. */
    async fireDue(): Promise<void> {
      let isMoreLikely = !stopped;
      while (isMoreLikely) {
        const due = await bots.listDue(dueAt(clock.now()), batchSize);
        const settled = await settleAll(due);
        isMoreLikely = due.length >= batchSize && settled > 0;
      }
    },

    /** Starts nothing more: due slots are left to other nodes, or to the next start. */
    stop(): void {
      stopped = true;
    },

    /** What a schedule means, and when it fires next. */
    preview: (request: SchedulePreviewRequest): Promise<SchedulePreview> =>
      previewSchedule(request, clock.now()),

    async get(workspaceId: string, agentId: string): Promise<AgentSchedule> {
      const bot = await bots.getRow(workspaceId, agentId);
      if (bot.botType !== 'agent') throw notFound();
      return toWire(bot, await slotStore.list(database.within(workspaceId), workspaceId, agentId));
    },
  };

  /** Returns how many were settled on this node. */
  async function settleAll(agents: Agent[]): Promise<number> {
    const waiting = [...agents];
    let settled = 0;
    const work = async () => {
      for (let agent = waiting.shift(); agent && !stopped; agent = waiting.shift()) {
        if (await settle(agent)) settled += 1;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: concurrency }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return settled;
  }

  /** Returns whether the agent's slots were settled on this node. Its failures do not affect other agents. */
  async function settle(agent: Agent): Promise<boolean> {
    const now = clock.now();
    const settleWith = (fire: (tx: Transaction, bot: BotRow) => Promise<Firing>) =>
      database
        .within(agent.workspaceId)
        .transaction((tx) => settleSlots(tx, bots, agent, now, (bot) => fire(tx, bot)));
    const settled = await settleWith((tx, bot) => start(tx, bot, now)).catch((error: unknown) => {
      // A failure of the database, not of the agent: the slot stays due.
      if (isConnectionFailure(error) || isDeadlock(error)) throw error;
      log.warn({ err: error, bot_id: agent.id }, 'A scheduled run could not be started.');
      return settleWith(async () => ({
        slot: { outcome: 'failed', reason: reasonOf(error), conversationId: null },
      }));
    });
    if (!settled) return false;
    logSlots(settled);
    settled.begin();
    // A slot of which no run came changes nothing else.
    if (settled.slots.length > 0) noteChange(agent.workspaceId, 'run', null);
    return true;
  }

  async function start(tx: Transaction, bot: BotRow, now: Date): Promise<Firing> {
    const { workspaceId } = bot;
    // Whoever changed the agent last decided what it does.
    const actsFor = await bots.authorOf(tx, bot);
    const admitted = await runs.admitRun(tx, { workspaceId, bot, trigger: 'schedule', actsFor, now });
    if (admitted.kind === 'busy') {
      return { slot: { outcome: 'skipped_busy', reason: 'A run was in progress.', conversationId: null } };
    }
    const { conversationId, begin } = admitted;
    return { slot: { outcome: 'fired', reason: null, conversationId }, begin };
  }

  function logSlots({ bot, slots }: Settled): void {
    for (const { slotAt, outcome, reason } of slots) {
      log.info({ bot_id: bot.id, slot_at: slotAt, outcome, reason }, 'A slot of a schedule was settled.');
    }
  }
}

/** Without internal details, because it is shown to users. */
function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : new AppError('INTERNAL').message;
}

const shownSlots = 5;

/** What a schedule means, and when it fires next. Throws VALIDATION_FAILED for one that no bot can have. */
async function previewSchedule(
  { schedule: text, time_zone: zone }: SchedulePreviewRequest,
  now: Date,
): Promise<SchedulePreview> {
  if (zone !== undefined && !findTimeZone(zone)) throw invalid('time_zone', 'is not a known time zone');
  const isPlaced = text.trimStart().startsWith('TZ=');
  const schedule = parseSchedule(isPlaced || zone === undefined ? text : `TZ=${zone} ${text}`);
  const next: Date[] = [];
  for (
    let slot = nextSlot(schedule, now);
    slot && next.length < shownSlots;
    slot = nextSlot(schedule, slot)
  ) {
    next.push(slot);
  }
  if (next.length === 0) throw invalid('schedule', 'never comes: the calendar has no such day');
  const { name } = schedule.zone;
  return {
    schedule: name === 'UTC' ? schedule.expression : `TZ=${name} ${schedule.expression}`,
    description: await describeSchedule(schedule),
    time_zone: name,
    next: next.map((slot) => slot.toISOString()),
  };
}
