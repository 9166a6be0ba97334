import { describe, expect, it } from 'vitest';
import type { Model } from '../../models/model.ts';
import { gradeForm, gradeQuestion, replacementFor } from './grade.ts';

describe('a score', () => {
  it.each([
    ['{"score": 0.75}', 0.75],
    ['{"score": 0}', 0],
    ['{"score": 1, "why": "It is so."}', 1],
  ])('is read from %j', (text, score) => expect(gradeForm.check(JSON.parse(text)).score).toBe(score));

  it.each([
    '0.9',
    '[{"score": 0.9}]',
    '{}',
    '{"score": "0.9"}',
    '{"score": 1.01}',
    '{"score": -0.1}',
    '{"score": 80}',
    '{"score": null}',
    '{"score": 1e999}',
    '{"grade": 0.9}',
  ])('is not guessed from %j', (text) => expect(() => gradeForm.check(JSON.parse(text))).toThrow());
});

describe('a reply', () => {
  const replaced = (score: number, settings: { safe_message?: string } = {}, language?: string) =>
    replacementFor(score, {
      bot: { settings, promptBuilder: language === undefined ? null : { language } },
      request: { messages: [{ role: 'user', content: '4711?' }] },
      text: 'Yes!',
    });
  it.each([0.3, 0.300001, 0.5, 1])('graded %d is sent', (score) => expect(replaced(score)).toBeNull());
  it.each([0, 0.1, 0.299999])('graded %d is replaced', (score) => {
    expect(replaced(score)).toMatch(/not have enough reliable information/);
    expect(replaced(score, {}, 'German')).toMatch(/nicht genug verlässliche/);
    expect(replaced(score, { safe_message: 'Ask us by mail.' }, 'German')).toBe('Ask us by mail.');
  });
});

describe('the question', () => {
  const question = (contextWindow: number, text = 'The reply.') =>
    gradeQuestion({
      model: { contextWindow } as Model,
      request: {
        system: `Instructions. ${'x'.repeat(60_000)}`,
        messages: [
          { role: 'user', content: 'How warm is it?' },
          {
            role: 'assistant',
            content: 'Let me see.',
            toolCalls: [{ id: '1', name: 'weather', arguments: { city: 'Köln' } }],
          },
          { role: 'tool', toolCallId: '1', toolName: 'weather', content: '21 degrees' },
        ],
      },
      text,
    }).prompt;

  it('shows what the model knew and what it said', () => {
    const asked = question(200_000);
    for (const part of [
      'Instructions.',
      'User: How warm is it?',
      'weather with {"city":"Köln"}',
      '21 degrees',
    ]) {
      expect(asked).toContain(part);
    }
    expect(asked).toContain('<reply>\nThe reply.\n</reply>');
  });

  it('fits the smallest window, whatever was said', () => {
    expect(question(4_096, 'word '.repeat(50_000)).length).toBeLessThan(4_096);
  });
});
