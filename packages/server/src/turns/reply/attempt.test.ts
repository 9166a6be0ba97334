import { expect, it } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import type { Model } from '../../models/model.ts';
import { StopRequested } from '../run/lease.ts';
import type { TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { type Attempt, brokenReply } from './attempt.ts';
import { createCitationMarks } from './passages/citation-marks.ts';

const now = new Date('2026-01-01T00:00:01Z');
const dependencies = {
  clock: { now: () => now },
  models: { priceOf: () => undefined },
} as unknown as TurnDependencies;
const state = (settings: object) => ({ bot: { settings } }) as unknown as TurnState;
const traced = state({ enable_agent_tracing: true });

const counted = { inputTokens: 3, cachedInputTokens: 0, outputTokens: 2 };

function attempt(text: string, shown: string | undefined): Attempt {
  return {
    asked: {
      traceId: 't',
      model: { id: 'openai/x' } as Model,
      request: { system: 'Be kind.', messages: [] },
      passages: [],
      startedAt: new Date('2026-01-01T00:00:00Z'),
    },
    reply: { messageId: 'm', text, shown, append: () => undefined, end: () => undefined },
    searched: { spent: [], trace: [] },
    marks: createCitationMarks([]),
    purse: {
      modelOf: () => ({ id: 'openai/x' }) as Model,
      spent: text === '' ? [] : [{ id: 'u', model: 'openai/x', usage: counted, cost: null }],
    },
    trace: [],
  };
}

it('keeps what readers saw, and counts it', () => {
  const broken = brokenReply(attempt('Half a', 'Half a'), state({}), new Error('gone'), dependencies);
  expect(broken).toMatchObject({ text: 'Half a', messageId: 'm', trace: [] });
  expect(broken.spent).toMatchObject([{ model: 'openai/x', usage: counted }]);
});

it('keeps nothing of what was not to be shown, and still counts it', () => {
  const broken = brokenReply(attempt('Half a', undefined), traced, new StopRequested('api'), dependencies);
  expect(broken).toMatchObject({ text: '', spent: [{ usage: counted }] });
  expect(broken.trace).toMatchObject([
    { type: 'model', status: 'error', durationMs: 1_000, error: 'The turn was stopped.' },
  ]);
  expect(JSON.stringify(broken.trace)).not.toContain('Half');
});

it('counts nothing where nothing was said, and shows sentences of our own only', () => {
  const broken = brokenReply(attempt('', ''), traced, new Error('host db-1.internal'), dependencies);
  expect(broken.spent).toEqual([]);
  expect(broken.trace).toMatchObject([{ usage: null, error: 'Something went wrong on our side.' }]);
  const told = brokenReply(attempt('', ''), traced, new AppError('MODEL_REJECTED'), dependencies);
  expect(told.trace[0]?.error).toBe('The model provider refused the request.');
});
