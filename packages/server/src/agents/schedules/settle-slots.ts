import { type BotRow, type BotService, type DueMoment, findSchedule } from '../../bots/bots.service.ts';
import type { Transaction } from '../../database/database.ts';
import { decideSlot, keptSlots, restingSlot, type SlotDecision } from './decide-slot.ts';
import { type NewSlot, slotStore } from './schedules.store.ts';

export type Agent = Pick<BotRow, 'id' | 'workspaceId'>;

/** The outcome of a due slot, and how to start its run after the commit. */
export interface Firing {
  slot: Pick<NewSlot, 'outcome' | 'reason' | 'conversationId'>;
  begin?: () => void;
}

export interface Settled {
  bot: BotRow;
  /** The recorded slots. */
  slots: NewSlot[];
  /** Starts the admitted run; call it after the commit. */
  begin(): void;
}

/** Clocks of nodes differ a little: only a schedule read further in the future than this was read before a clock was set back. */
const clockToleranceMilliseconds = 60_000;

export function dueAt(now: Date): DueMoment {
  return { now, readAheadAfter: new Date(now.getTime() + clockToleranceMilliseconds) };
}

/**
 * Settles all due slots of an agent's schedule in one transaction. `fire` is called for at most one slot. Undefined when
 * another node was faster.
 */
export async function settleSlots(
  tx: Transaction,
  bots: Pick<BotService, 'lockDue' | 'setNextRun'>,
  { id, workspaceId }: Agent,
  now: Date,
  fire: (bot: BotRow) => Promise<Firing>,
): Promise<Settled | undefined> {
  const bot = await bots.lockDue(tx, workspaceId, id, dueAt(now));
  if (!bot) return undefined;
  const noted = (await slotStore.list(tx, workspaceId, id)).map(({ slotAt }) => slotAt);
  const { fire: slotAt, passed, next } = decide(bot, noted, now);
  const slots: NewSlot[] = passed ? [{ ...passed, conversationId: null, notedAt: now }] : [];
  // Written before the run, in the same order as a manual trigger, so that the two cannot deadlock.
  await bots.setNextRun(tx, workspaceId, id, { nextRunAt: next ?? null, scheduleReadAt: now });
  const firing = slotAt && (await fire(bot));
  if (firing) slots.push({ ...firing.slot, slotAt, notedAt: now });
  if (slots.length > 0) await slotStore.insert(tx, workspaceId, id, slots, { now, kept: keptSlots });
  return { bot, slots, begin: () => firing?.begin?.() };
}

function decide({ schedule, nextRunAt, scheduleReadAt }: BotRow, noted: Date[], now: Date): SlotDecision {
  const readable = schedule === null ? undefined : findSchedule(schedule);
  if (readable && scheduleReadAt) {
    return decideSlot({ schedule: readable, readAt: scheduleReadAt, noted, now });
  }
  return restingSlot(nextRunAt, noted);
}
