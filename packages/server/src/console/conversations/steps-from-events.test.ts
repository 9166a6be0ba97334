import { expect, it } from 'vitest';
import type { EventRow } from '../../events/event.ts';
import { stepsFromEvents } from './steps-from-events.ts';

const turnId = '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90';
const start = Date.parse('2026-11-15T09:30:00.000Z');

function event(sequence: number, atMs: number, type: string, data: object): EventRow {
  return { sequence, turnId, type, data, createdAt: new Date(start + atMs) } as EventRow;
}

const reply = (content: string) => ({
  message: { role: 'assistant', content, tool_calls: [], citations: [] },
});

it('draws the model, a call and the wait for its approval', () => {
  const approval = {
    id: 'a',
    tool_name: 'refund',
    arguments: { order: 17 },
    resolved_by: 'link',
    reason: null,
  };
  const steps = stepsFromEvents(turnId, [
    event(1, 0, 'turn.started', {}),
    event(2, 800, 'message.completed', reply('')),
    event(3, 810, 'approval.requested', { approval: { ...approval, status: 'pending' } }),
    event(4, 811, 'turn.paused', {}),
    event(5, 840_811, 'approval.resolved', { approval: { ...approval, status: 'approved' } }),
    event(6, 840_812, 'turn.resumed', {}),
    event(7, 840_820, 'tool.started', { tool_call_id: 'c', tool_name: 'refund', arguments: { order: 17 } }),
    event(8, 841_020, 'tool.completed', {
      tool_call_id: 'c',
      status: 'ok',
      result: 'done',
      duration_ms: 182,
    }),
    event(9, 842_020, 'message.completed', reply('Done.')),
    event(10, 842_020, 'turn.completed', {}),
  ]).map(({ step }) => step);
  expect(steps.map(({ type, name, duration_ms }) => [type, name, duration_ms])).toEqual([
    ['model', 'model', 800],
    ['approval', 'refund', 840_001],
    ['tool', 'refund', 182],
    ['model', 'model', 1_000],
  ]);
  expect(steps.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(steps[1]).toMatchObject({
    input: { order: 17 },
    output: { status: 'approved', resolved_by: 'link' },
  });
  expect(steps[2]).toMatchObject({ input: { order: 17 }, output: 'done', error: null });
  expect(new Set(steps.map(({ id }) => id)).size).toBe(4);
});

it('draws calls that failed and turns that failed as errors', () => {
  const steps = stepsFromEvents(turnId, [
    event(1, 0, 'turn.started', {}),
    event(2, 5, 'tool.completed', { tool_call_id: 'gone', status: 'unknown', result: null, duration_ms: 9 }),
    event(3, 30, 'turn.failed', { turn_id: turnId, error: { code: 'INTERNAL', message: 'It broke.' } }),
  ]).map(({ step }) => step);
  expect(steps).toMatchObject([
    { type: 'tool', name: 'tool', status: 'error', error: 'unknown', input: null },
    { type: 'model', status: 'error', error: 'It broke.', duration_ms: 25 },
  ]);
});

it('draws nothing without events', () => {
  expect(stepsFromEvents(turnId, [])).toEqual([]);
});
