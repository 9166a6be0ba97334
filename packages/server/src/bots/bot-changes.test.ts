import { describe, expect, it } from 'vitest';
import { botChange, mergeSettings } from './bot-changes.ts';
import type { BotRow } from './bots.store.ts';

const now = new Date('2026-11-15T12:00:00Z');
const stored = (over: Partial<BotRow>) =>
  ({
    settings: {},
    status: 'active',
    botType: 'chatbot',
    schedule: null,
    agentGoal: 'Count the stock.',
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

describe('a schedule without a goal', () => {
  const schedule = '0 9 * * *';
  const refused = 'agent_goal is needed by an agent with a schedule';

  it('is refused however it comes about', () => {
    const agent = stored({ botType: 'agent', schedule });
    expect(() => botChange({ bot_type: 'agent', schedule }, undefined, now)).toThrow(refused);
    expect(() => botChange({ agent_goal: '  ' }, agent, now)).toThrow(refused);
    expect(() => botChange({ bot_type: 'agent' }, stored({ schedule, agentGoal: null }), now)).toThrow(
      refused,
    );
    expect(() => botChange({ schedule }, stored({ botType: 'agent', agentGoal: '' }), now)).toThrow(refused);
  });

  it('does not stand in the way of other changes where it is stored', () => {
    const idle = stored({ botType: 'agent', schedule, agentGoal: null });
    expect(botChange({ name: 'x' }, idle, now)).toMatchObject({ name: 'x' });
    expect(botChange({ agent_goal: 'Count.' }, idle, now)).toMatchObject({ agentGoal: 'Count.' });
  });

  it('is allowed for a chatbot', () => {
    expect(botChange({ schedule }, undefined, now)).toMatchObject({ schedule });
  });
});

describe('the next run', () => {
  it('follows the schedule of an active agent', () => {
    const change = botChange(
      { bot_type: 'agent', agent_goal: 'Count.', schedule: 'TZ=Europe/Berlin 0 9 * * *' },
      undefined,
      now,
    );
    expect(change).toMatchObject({ nextRunAt: new Date('2026-11-16T08:00:00Z'), scheduleReadAt: now });
  });

  it('is counted from the start when the schedule changes or the agent comes back', () => {
    const slot = new Date('2026-11-16T09:00:00Z');
    const agent = stored({ botType: 'agent', schedule: '0 7 * * *', nextRunAt: now });
    expect(botChange({ schedule: '0 9 * * *' }, agent, now).nextRunAt).toEqual(slot);
    const resting = stored({ botType: 'agent', schedule: '0 9 * * *', status: 'inactive' });
    expect(botChange({ status: 'active' }, resting, now).nextRunAt).toEqual(slot);
    const chatbot = stored({ schedule: '0 9 * * *' });
    expect(botChange({ bot_type: 'agent' }, chatbot, now).nextRunAt).toEqual(slot);
    expect(botChange({ schedule: null }, agent, now)).toMatchObject({ schedule: null, nextRunAt: null });
  });

  it('rests for chatbots and inactive bots', () => {
    expect(botChange({ schedule: '0 9 * * *' }, undefined, now).nextRunAt).toBeNull();
    const agent = stored({ botType: 'agent', schedule: '0 9 * * *', nextRunAt: now });
    expect(botChange({ status: 'inactive' }, agent, now).nextRunAt).toBeNull();
  });

  it('is not moved by an unrelated change', () => {
    const agent = stored({ botType: 'agent', schedule: '0 9 * * *', nextRunAt: now });
    expect(botChange({ name: 'x' }, agent, now)).not.toHaveProperty('nextRunAt');
    expect(botChange({ schedule: '0 9 * * *' }, agent, now)).not.toHaveProperty('nextRunAt');
  });

  it('never stands in the way of another change', () => {
    const unreadable = stored({ botType: 'agent', schedule: 'an older way to say it', nextRunAt: null });
    expect(botChange({ name: 'x' }, unreadable, now).nextRunAt).toBeNull();
  });

  it.each(['30 2 30 2 *', '0 0 31 4,6,9,11 *'])('refuses %j, which never comes', (schedule) => {
    const never = 'schedule never comes: the calendar has no such day';
    expect(() => botChange({ schedule }, undefined, now)).toThrow(never);
    expect(() => botChange({ schedule, bot_type: 'agent' }, undefined, now)).toThrow(never);
  });

  it.each(['', 'daily', '* * * *', '* * * * * *', '61 * * * *', 'TZ=Mars/Base 0 9 * * *', '@daily'])(
    'refuses %j',
    (schedule) => {
      expect(() => botChange({ schedule }, undefined, now)).toThrow(/^schedule /);
    },
  );
});
