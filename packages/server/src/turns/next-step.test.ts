import type { OutputConfig } from '@svc/contract/bots';
import { describe, expect, it } from 'vitest';
import type { BotRow } from '../bots/bots.service.ts';
import { textMessage } from '../conversations/conversations.service.ts';
import type { RunRow } from '../runs/runs.service.ts';
import { nextStep } from './next-step.ts';
import { newState, type TurnState } from './state.ts';

const bot = {} as BotRow;
const messagesOf = (...said: [role: 'user' | 'assistant' | 'tool', content: string][]) =>
  said.map(([role, content], index) => ({
    ...textMessage(String(index), role, content, new Date()),
    sequence: index,
  }));

function runState(
  iterations: number,
  messages: TurnState['messages'],
  outputConfig: OutputConfig | null = null,
): TurnState {
  const run = { iterations, maxIterations: 3, outputConfig } as RunRow;
  return newState(bot, { summary: null, messages }, 'reply', run);
}

it('a chat asks for a reply until it has ended or waits', () => {
  const state = newState(bot, { summary: null, messages: messagesOf(['user', 'Hello']) }, 'reply');
  expect(nextStep(state)).toEqual({ kind: 'reply' });
  expect(nextStep({ ...state, ended: true })).toEqual({ kind: 'done' });
  expect(nextStep({ ...state, paused: true })).toEqual({ kind: 'done' });
});

describe('a run', () => {
  const goal: ['user', string] = ['user', 'Count.'];

  it('asks for replies while it has iterations left', () => {
    expect(nextStep(runState(0, messagesOf(goal)))).toEqual({ kind: 'reply' });
    expect(nextStep(runState(2, messagesOf(goal, ['tool', '4'])))).toEqual({ kind: 'reply' });
    expect(nextStep(runState(3, messagesOf(goal, ['tool', '4'])))).toEqual({ kind: 'exhausted' });
  });

  it('ends when the agent spoke last, even with its last iteration', () => {
    for (const iterations of [1, 3]) {
      const state = runState(iterations, messagesOf(goal, ['assistant', 'Four.']));
      expect(nextStep(state)).toEqual({ kind: 'finish', finalText: 'Four.' });
    }
  });

  it('continues when it was sent back, if it may', () => {
    const sentBack = messagesOf(goal, ['assistant', 'Four.'], ['user', 'Not yet.']);
    expect(nextStep(runState(2, sentBack))).toEqual({ kind: 'reply' });
    expect(nextStep(runState(3, sentBack))).toEqual({ kind: 'exhausted' });
  });
});
