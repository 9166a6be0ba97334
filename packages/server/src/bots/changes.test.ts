import { describe, expect, it } from 'vitest';
import { botChange, mergeSettings } from './changes.ts';
import type { BotRow } from './store.ts';

const now = new Date('2026-11-15T12:00:00Z');
const stored = (over: Partial<BotRow>) =>
  ({
    settings: {},
    status: 'active',
    botType: 'chatbot',
    schedule: null,
    nextRunAt: null,
    ...over,
  }) as BotRow;

describe('settings', () => {
  it('merges, clears by null, and takes the top level over the object', () => {
    expect(
      mergeSettings(
        { model: 'openai/a', temperature: 1, chat_greeting: 'Hi' },
        { settings: { temperature: 0.5, chat_greeting: null }, temperature: 0.2 },
      ),
    ).toEqual({ model: 'openai/a', temperature: 0.2 });
  });

  it('turns off every quality flag that is not sent', () => {
    const before = { enable_agent_tracing: true, enable_confidence_scoring: true };
    expect(mergeSettings(before, { enable_agent_tracing: true })).toEqual({ enable_agent_tracing: true });
    expect(mergeSettings(before, {})).toEqual({});
    expect(mergeSettings(before, { settings: JSON.stringify(before) })).toEqual(before);
  });

  it('checks settings that come as a string', () => {
    expect(() => mergeSettings({}, { settings: '{' })).toThrow('settings is not valid JSON');
    expect(() => mergeSettings({}, { settings: '{"temperature":"hot"}' })).toThrow(
      'settings.temperature must be a number or null',
    );
    expect(() => mergeSettings({}, { settings: '{"chat_greeting":"\\u0000"}' })).toThrow(
      'settings.chat_greeting',
    );
    expect(() => mergeSettings({}, { settings: '[]' })).toThrow('settings must be an object');
  });
});

describe('prompts', () => {
  it('come from the builder unless a prompt is sent too', () => {
    expect(botChange({ prompt_builder: { role: 'a host' } }, undefined, now)).toMatchObject({
      systemPrompt: 'You are a host.',
      promptBuilder: { role: 'a host' },
    });
    expect(
      botChange({ prompt_builder: '{"role":"a host"}', system_prompt: 'Mine.' }, undefined, now),
    ).toMatchObject({
      systemPrompt: 'Mine.',
    });
  });

  it('need a builder that says something', () => {
    expect(() => botChange({ prompt_builder: {} }, undefined, now)).toThrow(
      'prompt_builder must say something',
    );
  });
});

describe('the next run', () => {
  it('follows the schedule of an active agent', () => {
    const change = botChange({ bot_type: 'agent', schedule: 'TZ=Europe/Berlin 0 9 * * *' }, undefined, now);
    expect(change.nextRunAt).toEqual(new Date('2026-11-16T08:00:00Z'));
  });

  it('rests for chatbots and inactive bots', () => {
    expect(botChange({ schedule: '0 9 * * *' }, undefined, now).nextRunAt).toBeNull();
    const agent = stored({ botType: 'agent', schedule: '0 9 * * *', nextRunAt: now });
    expect(botChange({ status: 'inactive' }, agent, now).nextRunAt).toBeNull();
  });

  it('is not moved by an unrelated change', () => {
    const agent = stored({ botType: 'agent', schedule: '0 9 * * *', nextRunAt: now });
    expect(botChange({ name: 'x' }, agent, now)).not.toHaveProperty('nextRunAt');
  });

  it.each(['daily', '* * * *', '* * * * * *', '61 * * * *', 'TZ=Mars/Base 0 9 * * *', '@daily'])(
    'refuses %j',
    (schedule) => {
      expect(() => botChange({ schedule }, undefined, now)).toThrow(/^schedule /);
    },
  );
});
