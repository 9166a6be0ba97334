import { nextSlot, type Schedule, slotsBetween } from '../../bots/service.ts';

/** So many of an agent's slots stay on record. */
export const keptSlots = 200;
const lateAfterMilliseconds = 3_600_000;
/** A clock that was put back by more than this was wrong before. */
const believedAheadMilliseconds = 86_400_000;
/** More missed slots than this are not counted. */
const mostCounted = 1_000;

export interface SlotQuestion {
  schedule: Schedule;
  /** Slots up to here are dealt with. */
  readAt: Date;
  /** The slots on record, newest first: none of them may fire again. */
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
  /** What passes without a run, and is put on record. */
  passed?: PassedSlots;
  /** The slot to come; undefined when there is none. */
  next: Date | undefined;
}

/**
 * Of everything that came due since the schedule was last read, at most one slot fires: the newest, if it is younger than
 * an hour. Read again after the clock was put back, only slots that are not on record are to come.
 */
export function decideSlot({ schedule, readAt, noted, now }: SlotQuestion): SlotDecision {
  const next = nextUnnoted(schedule, noted, now);
  const due = slotsBetween(schedule, { after: readAt, until: now, limit: mostCounted });
  const { newest } = due;
  if (!newest || includes(noted, newest)) return { next };
  if (now.getTime() - newest.getTime() >= lateAfterMilliseconds) {
    return { passed: late(newest, `It was found more than an hour late.${andEarlier(due.count)}`), next };
  }
  const earlier = slotsBetween(schedule, { after: readAt, until: before(newest), limit: mostCounted });
  if (!earlier.newest || includes(noted, earlier.newest)) return { fire: newest, next };
  const reason = `It was found late, when a later one was due as well.${andEarlier(earlier.count)}`;
  return { fire: newest, passed: late(earlier.newest, reason), next };
}

/** A schedule that cannot be read, such as one of an older version, rests until it is changed. */
export function restingSlot(slotAt: Date | null, noted: readonly Date[]): SlotDecision {
  if (!slotAt || includes(noted, slotAt)) return { next: undefined };
  return { passed: { slotAt, outcome: 'failed', reason: 'The schedule cannot be read.' }, next: undefined };
}

function nextUnnoted(schedule: Schedule, noted: readonly Date[], now: Date): Date | undefined {
  // A full record has forgotten older slots: what came before its oldest may have fired.
  const oldest = noted.length >= keptSlots ? (noted.at(-1) ?? now) : now;
  const ahead = oldest.getTime() - now.getTime();
  let slot = nextSlot(schedule, ahead > 0 && ahead <= believedAheadMilliseconds ? oldest : now);
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
  return count >= mostCounted
    ? ` So were at least ${mostCounted - 1} before it.`
    : ` So were ${count - 1} before it.`;
}
