import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textMessage } from '../../../conversations/conversations.service.ts';
import type { PlacedMessage } from '../../state.ts';
import { fitTurn, messageTokens } from './fit-turn.ts';

function turn(results: string[][]): PlacedMessage[] {
  const now = new Date();
  const messages = [textMessage('goal', 'user', 'Reach the goal.', now)];
  for (const [step, ofStep] of results.entries()) {
    const toolCalls = ofStep.map((_, index) => ({
      id: `${step}.${index}`,
      name: 'look',
      arguments: { step, index },
      executed_arguments: null,
    }));
    messages.push({ ...textMessage(`a${step}`, 'assistant', '', now), toolCalls });
    for (const [index, content] of ofStep.entries()) {
      messages.push({ ...textMessage(`t${step}`, 'tool', content, now), toolCallId: `${step}.${index}` });
    }
  }
  return messages.map((message, index) => ({ ...message, sequence: index + 1 }));
}

const tokensOf = (messages: PlacedMessage[]) =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);
const steps = (count: number, characters: number) =>
  turn(Array.from({ length: count }, (_, step) => [`${step} ${'x'.repeat(characters)}`]));

describe('a turn', () => {
  it('that fits stays as it is', () => {
    const messages = steps(10, 100);
    expect(fitTurn(messages, 10_000)).toBe(messages);
  });

  it('keeps its latest results whole and cuts older ones', () => {
    const messages = steps(10, 4_000);
    const fitted = fitTurn(messages, 8_000);
    expect(fitted).toHaveLength(messages.length);
    expect(fitted.at(-1)).toBe(messages.at(-1));
    expect(fitted[2]?.content).toContain('characters left out');
    expect(fitted[0]).toBe(messages[0]);
  });

  it('that is far too long loses its oldest steps, and says so', () => {
    const fitted = fitTurn(steps(500, 400), 6_000);
    expect(fitted[0]?.content).toMatch(
      /^Reach the goal\.\n\n\[The \d{3} steps that came next cannot be shown/,
    );
    expect(fitted.at(-1)?.content).toContain('499 ');
  });

  it('of one step that is too long keeps what fits of it', () => {
    const fitted = fitTurn(turn([['x'.repeat(100_000), 'short']]), 5_000);
    expect(tokensOf(fitted)).toBeLessThanOrEqual(5_000);
    expect(fitted.at(-1)?.content).toBe('short');
  });

  it('never parts a call from its result, and stays within its bounds', () => {
    const results = fc.array(fc.array(fc.string({ maxLength: 6_000 }), { minLength: 1, maxLength: 4 }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(results, fc.integer({ min: 1_500, max: 20_000 }), (given, most) => {
        const messages = turn(given);
        const fitted = fitTurn(messages, most);
        expect(fitted[0]?.content.startsWith('Reach the goal.')).toBe(true);
        const called = fitted.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id));
        expect(fitted.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(called);
        expect(tokensOf(fitted)).toBeLessThanOrEqual(most);
        const last = messages.at(-1);
        if (last?.role === 'tool') expect(fitted.at(-1)?.toolCallId).toBe(last.toolCallId);
      }),
    );
  });
});
