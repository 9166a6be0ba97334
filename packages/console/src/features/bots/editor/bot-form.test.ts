import { expect, it } from 'vitest';
import { type BotForm, fieldsOf, isSame, onTopOf, withSetting } from './bot-form.ts';
import { changesIn, describeChanges } from './form-changes.ts';

const saved: BotForm = {
  name: 'Support',
  description: '',
  bot_type: 'chatbot',
  system_prompt: 'Be kind.',
  prompt_builder: null,
  settings: { temperature: 0.7, chat_greeting: 'Hi', enable_agent_tracing: true },
  agent_goal: null,
  schedule: null,
  output_config: null,
  max_iterations: 25,
  timeout_seconds: null,
  tools: [],
};

it('says what changed in words', () => {
  const form = {
    ...saved,
    system_prompt: 'Be very kind, and brief. Greet by name.\nAlways.',
    settings: { ...withSetting(saved.settings, 'enable_agent_tracing', false), temperature: 0.2 },
  };
  expect(describeChanges(changesIn(form, saved))).toBe('prompt, temperature .7 → .2, tracing off');
  expect(changesIn(saved, saved)).toEqual([]);
});

it('sends the whole form, and null for settings that were removed', () => {
  const form = { ...saved, settings: withSetting(saved.settings, 'chat_greeting', '') };
  expect(fieldsOf(form, saved)).toEqual({
    name: 'Support',
    description: '',
    bot_type: 'chatbot',
    system_prompt: 'Be kind.',
    prompt_builder: null,
    agent_goal: null,
    schedule: null,
    output_config: null,
    max_iterations: 25,
    timeout_seconds: null,
    temperature: 0.7,
    chat_greeting: null,
    enable_agent_tracing: true,
  });
});

it('keeps only that a switch is off, if it is on by default', () => {
  const form = { ...saved, settings: withSetting(saved.settings, 'keypad_masking', false) };
  expect(fieldsOf(form, saved)).toMatchObject({ keypad_masking: false });
  expect(describeChanges(changesIn(form, saved))).toBe('masking of keypad input off');
  expect(withSetting(form.settings, 'keypad_masking', true)).toEqual(saved.settings);
  expect(describeChanges(changesIn(saved, form))).toBe('masking of keypad input on');
});

it('sends the default of a number that was cleared', () => {
  const form = { ...saved, max_iterations: undefined };
  expect(fieldsOf(form, { ...saved, max_iterations: 40 })).toMatchObject({ max_iterations: 25 });
});

it('makes its changes to what somebody else has saved, and reverts nothing of that', () => {
  const form = {
    ...saved,
    description: 'Mine.',
    settings: withSetting({ ...saved.settings, temperature: 0.2 }, 'chat_greeting', ''),
  };
  const newer = {
    ...saved,
    description: 'Theirs.',
    system_prompt: 'Be brief.',
    settings: { chat_greeting: 'Hi', temperature: 0.7, max_steps: 3 },
  };
  expect(onTopOf(newer, form, saved)).toEqual({
    ...saved,
    description: 'Mine.',
    system_prompt: 'Be brief.',
    settings: { temperature: 0.2, max_steps: 3 },
  });
});

it('compares without the order of keys', () => {
  expect(isSame({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
  expect(isSame({ a: 1 }, { a: 2 })).toBe(false);
});
