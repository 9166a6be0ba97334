import type { BotConfiguration } from '@svc/contract/bot-versions';
import { expect, it } from 'vitest';
import { newBot } from '../bot-changes.ts';
import { changedFields, columnsOf, configurationOf } from './version-configuration.ts';

const plain = configurationOf({ ...newBot, name: 'Host', systemPrompt: 'Be kind.' }, []);
const tool: BotConfiguration['tools'][number] = {
  tool_type: 'calculator',
  tool_configuration_id: null,
  tool_instructions: '',
  speak_during_execution: false,
  speak_after_execution: false,
  tool_error_handling_mode: 'passthrough',
};

it('finds no change where there is none, whatever the order of keys', () => {
  const one = { ...plain, settings: { model: 'openai/a', temperature: 1 } };
  const other = { ...plain, settings: { temperature: 1, model: 'openai/a' } };
  expect(changedFields(one, other)).toEqual([]);
});

it('names settings like fields, those that came and those that went', () => {
  const before = { ...plain, settings: { model: 'openai/a', chat_greeting: 'Hi' } };
  const after = { ...plain, name: 'Guide', settings: { model: 'openai/b', temperature: 0 }, tools: [tool] };
  expect(changedFields(before, after)).toEqual(['chat_greeting', 'model', 'name', 'temperature', 'tools']);
});

it('counts the order of tools: a model reads them in it', () => {
  const clock = { ...tool, tool_type: 'current_time' };
  expect(changedFields({ ...plain, tools: [tool, clock] }, { ...plain, tools: [clock, tool] })).toEqual([
    'tools',
  ]);
});

it('comes back as the columns it was made of', () => {
  const columns = columnsOf({ ...plain, tools: [tool] });
  expect(columns.toolCount).toBe(1);
  expect(configurationOf(columns, [tool])).toEqual({ ...plain, tools: [tool] });
});
