import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/sample.ts';
import { parseSchedule } from '../../bots/schedule/schedule.ts';
import { nextSlot } from '../../bots/schedule/slots.ts';
import { decideSlot, restingSlot } from './decide-slot.ts';

const at = (text: string) => new Date(`2026-11-${text}:00Z`);

function decide(cron: string, readAt: string, now: string, noted: string[] = []) {
  return decideSlot({
    schedule: parseSchedule(cron),
    readAt: at(readAt),
    noted: noted.map(at),
    now: at(now),
  });
}

describe('what is due', () => {
  it('fires once, and the next one is to come', () => {
    expect(decide('0 9 * * *', '15T09:00', '16T09:00')).toEqual({
      fire: at('16T09:00'),
      next: at('17T09:00'),
    });
  });

  it('is nothing before its time', () => {
    expect(decide('0 9 * * *', '15T09:00', '16T08:59')).toEqual({ next: at('16T09:00') });
  });

  it('does not fire when it is on record', () => {
    expect(decide('0 9 * * *', '15T09:00', '16T09:00', ['16T09:00'])).toEqual({ next: at('17T09:00') });
  });
});

describe('what was missed', () => {
  it('fires up to an hour late', () => {
    expect(decide('0 9 * * *', '15T09:00', '16T09:59').fire).toEqual(at('16T09:00'));
  });

  it('is skipped from an hour on', () => {
    const reason = 'It was found more than an hour late.';
    const passed = { slotAt: at('16T09:00'), outcome: 'skipped_late', reason };
    expect(decide('0 9 * * *', '15T09:00', '16T10:00')).toEqual({ passed, next: at('17T09:00') });
  });

  it('is only ever the newest', () => {
    expect(decide('*/20 * * * *', '15T09:00', '15T10:10')).toEqual({
      fire: at('15T10:00'),
      passed: {
        slotAt: at('15T09:40'),
        outcome: 'skipped_late',
        reason: 'It was found late, when a later one was due as well. So was one before it.',
      },
      next: at('15T10:20'),
    });
  });

  it('is counted, up to a limit', () => {
    expect(decide('0 */6 * * *', '10T00:00', '15T23:00').passed).toMatchObject({
      slotAt: at('15T18:00'),
      reason: 'It was found more than an hour late. So were 22 before it.',
    });
    expect(decide('* * * * *', '01T00:00', '15T23:00').passed?.reason).toContain('at least 999 before it');
  });
});

describe('a clock that was put back', () => {
  it('leads to the first slot that is not on record', () => {
    const noted = ['15T12:00', '15T11:00', '15T10:00'];
    expect(decide('0 * * * *', '15T12:00', '15T10:30', noted)).toEqual({ next: at('15T13:00') });
  });

  it('after having been wrong for long, leads back to the present', () => {
    const noted = ['29T12:00', '15T10:00'];
    expect(decide('0 * * * *', '29T12:10', '15T10:10', noted)).toEqual({ next: at('15T11:00') });
  });

  it('does not fire what a full record has forgotten', () => {
    const start = at('15T10:00').getTime();
    const noted = Array.from({ length: 200 }, (_, index) => new Date(start + (199 - index) * 60_000));
    const schedule = parseSchedule('* * * * *');
    const decision = decideSlot({
      schedule,
      readAt: new Date(start + 199 * 60_000),
      noted,
      now: at('15T08:00'),
    });
    expect(decision).toEqual({ next: new Date(start + 200 * 60_000) });
  });

  it('is not held up by a full record of a wrong year', () => {
    const start = new Date('2036-11-15T10:00Z').getTime();
    const noted = Array.from({ length: 200 }, (_, index) => new Date(start + (199 - index) * 60_000));
    const schedule = parseSchedule('* * * * *');
    const decision = decideSlot({ schedule, readAt: new Date(start), noted, now: at('15T08:00') });
    expect(decision).toEqual({ next: at('15T08:01') });
  });
});

it('rests on a schedule that cannot be read, and says so once', () => {
  const slotAt = at('16T09:00');
  const passed = { slotAt, outcome: 'failed', reason: 'The schedule cannot be read.' };
  expect(restingSlot(slotAt, [])).toEqual({ passed, next: undefined });
  expect(restingSlot(slotAt, [slotAt])).toEqual({ next: undefined });
});

/** A clock that mostly advances, and sometimes jumps; decisions are asked for and carried out as they are in the service. */
it('fires no slot twice, and none long after its time, however the clock jumps', () => {
  const jump = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 40 }) },
    { weight: 1, arbitrary: fc.integer({ min: -600, max: 3_000 }) },
  );
  const cron = fc.constantFrom('* * * * *', '*/5 * * * *', '30 2 * * *', 'TZ=Europe/Berlin 15,45 1-3 * * *');
  fc.assert(
    fc.property(cron, fc.array(jump, { minLength: 20, maxLength: 250 }), (text, jumps) => {
      const schedule = parseSchedule(text);
      let now = new Date('2026-10-24T12:00Z');
      let readAt = now;
      let next = nextSlot(schedule, now);
      let noted: Date[] = [];
      const fired: number[] = [];
      for (const minutes of jumps) {
        now = new Date(now.getTime() + minutes * 60_000);
        const wasPutBack = readAt.getTime() > now.getTime() + 60_000;
        if (next && next > now && !wasPutBack) continue;
        const decision = decideSlot({ schedule, readAt, noted, now });
        ({ next } = decision);
        readAt = now;
        noted = record(noted, [decision.fire, decision.passed?.slotAt], now);
        if (decision.fire) {
          fired.push(decision.fire.getTime());
          expect(now.getTime() - decision.fire.getTime()).toBeGreaterThanOrEqual(0);
          expect(now.getTime() - decision.fire.getTime()).toBeLessThan(3_600_000);
        }
        expect(next?.getTime()).toBeGreaterThan(now.getTime());
      }
      expect(fired).toEqual([...new Set(fired)]);
    }),
    runs(100),
  );
});

/** The 200 nearest, newest first. */
function record(noted: Date[], added: (Date | undefined)[], now: Date): Date[] {
  const distance = (slot: Date) => Math.abs(slot.getTime() - now.getTime());
  return [...noted, ...added.filter((slot) => slot !== undefined)]
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, 200)
    .toSorted((one, other) => other.getTime() - one.getTime());
}
