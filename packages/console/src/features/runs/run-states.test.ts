import { describe, expect, it } from 'vitest';
import { durationOf, reasonOf, type Slot, slotState, summarizeSlots } from './run-states.ts';

const slot = (fields: Partial<Slot>): Slot => ({
  slot_at: '2026-11-16T08:00:00.000Z',
  outcome: 'fired',
  reason: null,
  conversation_id: null,
  noted_at: '2026-11-16T08:00:00.412Z',
  run_status: 'completed',
  ...fields,
});

describe('a slot', () => {
  it('shows the state of its run', () => {
    expect(slotState(slot({ run_status: 'max_iterations_reached' }))).toEqual({
      state: 'warning',
      text: 'Out of iterations',
    });
  });

  it('says why there is no run', () => {
    expect(slotState(slot({ outcome: 'skipped_busy' })).text).toBe('Skipped: still busy');
  });

  it('is counted with those of the same outcome', () => {
    const slots = [slot({}), slot({ outcome: 'skipped_busy' }), slot({ outcome: 'skipped_late' })];
    expect(summarizeSlots(slots)).toBe('1 completed, 2 skipped');
  });
});

describe('an entry', () => {
  it('takes time from its start to its end, or until now', () => {
    const run = { kind: 'run' as const, at: '2026-11-16T08:00:00.000Z', ended_at: null };
    expect(durationOf(run, Date.parse('2026-11-16T08:00:05.000Z'))).toBe(5000);
    expect(durationOf({ ...run, ended_at: '2026-11-16T08:00:02.000Z' }, 0)).toBe(2000);
    expect(durationOf({ ...run, kind: 'slot' }, 0)).toBeUndefined();
  });

  it('names its error before its webhook and its instructions', () => {
    const webhook = { status: 'failed' as const, attempts: 3, last_error: 'HTTP 500' };
    expect(reasonOf({ reason: 'Too slow.', webhook, payload: 'x' })).toBe('Too slow.');
    expect(reasonOf({ reason: null, webhook, payload: 'x' })).toBe('Its webhook failed: HTTP 500');
    expect(reasonOf({ reason: null, webhook: null, payload: 'x' })).toBe('x');
  });
});
