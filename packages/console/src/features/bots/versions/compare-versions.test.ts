import type { BotConfiguration } from '@svc/contract/bot-versions';
import { describe, expect, it } from 'vitest';
import { compareVersions, parseCompared } from './compare-versions.ts';
import { listFields } from './list-fields.ts';

const configuration = (change: Partial<BotConfiguration>): BotConfiguration => ({
  name: 'Support',
  description: '',
  system_prompt: 'You help.',
  prompt_builder: null,
  settings: { model: 'openai/gpt-5-mini', temperature: 0.7 },
  bot_type: 'chatbot',
  schedule: null,
  agent_goal: null,
  output_config: null,
  max_iterations: 25,
  timeout_seconds: null,
  tools: [],
  ...change,
});

describe('two versions', () => {
  it('differ in settings and fields, the prompt first', () => {
    const after = configuration({
      system_prompt: 'You help kindly.',
      settings: { temperature: 0.2, model: 'openai/gpt-5-mini', top_p: 1 },
    });
    expect(compareVersions(configuration({}), after)).toEqual([
      { field: 'system_prompt', before: 'You help.', after: 'You help kindly.', isLong: true },
      { field: 'temperature', before: '0.7', after: '0.2', isLong: false },
      { field: 'top_p', before: '', after: '1', isLong: false },
    ]);
  });

  it('do not differ by the order of names', () => {
    const before = configuration({ settings: { model: 'x', approval_notice: { a: 1, b: 2 } } });
    const after = configuration({ settings: { approval_notice: { b: 2, a: 1 }, model: 'x' } });
    expect(compareVersions(before, after)).toEqual([]);
  });

  it('are named in the address', () => {
    expect(parseCompared('3..5')).toEqual({ from: 3, to: 5 });
    expect(parseCompared('3-5')).toBeUndefined();
    expect(parseCompared(undefined)).toBeUndefined();
  });
});

it('lists fields by their names, what changes answers most first', () => {
  expect(listFields(['temperature', 'system_prompt', 'tools'])).toBe('Prompt, tools and temperature');
  expect(listFields(['model'])).toBe('Model');
});
