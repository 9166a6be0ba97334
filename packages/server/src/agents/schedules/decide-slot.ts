import { nextSlot, type Schedule, slotsBetween } from '../../bots/bots.service.ts';

/** How many of an agent's slots are kept. */
export const keptSlots = 200;
const lateAfterMilliseconds = 3_600_000;
/** A clock that was set back by more than this was wrong before. */
const maxAheadMilliseconds = 86_400_000;
/** More missed slots than this are not counted. */
const maxCounted = 1_000;

export interface SlotQuestion {
  schedule: Schedule;
  /** Slots up to this moment are settled. */
  readAt: Date;
  /** The recorded slots, newest first: none of them may fire again. */
  noted: readonly Date[];
  now: Date;
}

export interface PassedSlots {
  /** The newest of them. */
  slotAt: Date;
  outcome: 'skipped_late' | 'failed';
  reason: string;
}

export interface SlotDecision {
  /** The slot to start a run for. */
  fire?: Date;
  /** Slots that pass without a run, to be recorded. */
  passed?: PassedSlots;
  /** The next slot; undefined when there is none. */
  next: Date | undefined;
}

/**
 * Of all slots that came due since the schedule was last read, at most one fires: the newest, if it is less than an hour old.
 * After the clock was set back, slots that are recorded already do not fire again.
 */
export function decideSlot({ schedule, readAt, noted, now }: SlotQuestion): SlotDecision {
  const next = nextUnrecorded(schedule, noted, now);
  const due = slotsBetween(schedule, { after: readAt, until: now, limit: maxCounted });
  const { newest } = due;
  if (!newest || includes(noted, newest)) return { next };
  if (now.getTime() - newest.getTime() >= lateAfterMilliseconds) {
    return { passed: late(newest, `It was found more than an hour late.${andEarlier(due.count)}`), next };
  }
  const earlier = slotsBetween(schedule, { after: readAt, until: before(newest), limit: maxCounted });
  if (!earlier.newest || includes(noted, earlier.newest)) return { fire: newest, next };
  const reason = `It was found late, when a later one was due as well.${andEarlier(earlier.count)}`;
  return { fire: newest, passed: late(earlier.newest, reason), next };
}

/** A schedule that cannot be parsed, such as one from an older version, has no slots until it is changed. */
export function restingSlot(slotAt: Date | null, noted: readonly Date[]): SlotDecision {
  if (!slotAt || includes(noted, slotAt)) return { next: undefined };
  return { passed: { slotAt, outcome: 'failed', reason: 'The schedule cannot be read.' }, next: undefined };
}

function nextUnrecorded(schedule: Schedule, noted: readonly Date[], now: Date): Date | undefined {
  // With the record full, slots before its oldest entry may have fired and been dropped.
  const oldest = noted.length >= keptSlots ? (noted.at(-1) ?? now) : now;
  const ahead = oldest.getTime() - now.getTime();
  let slot = nextSlot(schedule, ahead > 0 && ahead <= maxAheadMilliseconds ? oldest : now);
  while (slot && includes(noted, slot)) slot = nextSlot(schedule, slot);
  return slot;
}

function includes(moments: readonly Date[], moment: Date): boolean {
  return moments.some((one) => one.getTime() === moment.getTime());
}

function before(moment: Date): Date {
  return new Date(moment.getTime() - 1);
}

function late(slotAt: Date, reason: string): PassedSlots {
  return { slotAt, outcome: 'skipped_late', reason };
}

function andEarlier(count: number): string {
  if (count === 1) return '';
  if (count === 2) return ' So was one before it.';
  return count >= maxCounted
    ? ` So were at least ${maxCounted - 1} before it.`
    : ` So were ${count - 1} before it.`;
}
