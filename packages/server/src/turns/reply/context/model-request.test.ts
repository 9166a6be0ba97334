import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noCost } from '../../../billing/billing.service.ts';
import { textMessage } from '../../../conversations/conversations.service.ts';
import { noUsage } from '../../../models/add-usage.ts';
import { createExtractiveAttempt } from '../../../models/builtin/extractive-attempt.ts';
import type { OnPart } from '../../../models/model.ts';
import { ModelImage } from '../../../models/model-image.ts';
import type { PlacedMessage, TurnState } from '../../state.ts';
import { messageTokens } from './fit-turn.ts';
import { modelRequest } from './model-request.ts';
import { historyBudget, splitHistory, turnsToFold } from './split-history.ts';

function conversation(turns: [user: string, assistant: string][]): PlacedMessage[] {
  return turns
    .flatMap(([user, assistant]) => [
      textMessage('u', 'user', user, new Date()),
      textMessage('a', 'assistant', assistant, new Date()),
    ])
    .map((message, index) => ({ ...message, sequence: index + 1 }));
}

const anyConversation = fc
  .array(fc.tuple(fc.string({ minLength: 1, maxLength: 200 }), fc.string({ maxLength: 200 })), {
    minLength: 1,
    maxLength: 30,
  })
  .map(conversation);

describe('splitting a history', () => {
  it('loses nothing, cuts between turns, and always keeps the latest turn', () => {
    fc.assert(
      fc.property(anyConversation, fc.nat(2_000), (messages, budget) => {
        const { folded, kept } = splitHistory(messages, budget);
        expect([...folded, ...kept]).toEqual(messages);
        expect(kept[0]?.role).toBe('user');
        const tokens = kept.reduce((sum, message) => sum + messageTokens(message), 0);
        expect(tokens <= budget || kept.length === 2).toBe(true);
      }),
    );
  });

  it('folds only when it must, and then leaves room', () => {
    fc.assert(
      fc.property(anyConversation, fc.integer({ min: 10, max: 2_000 }), (messages, budget) => {
        const total = messages.reduce((sum, message) => sum + messageTokens(message), 0);
        const folded = turnsToFold(messages, budget);
        if (total <= budget) expect(folded).toEqual([]);
        expect(folded.length).toBeLessThan(messages.length);
      }),
    );
  });

  it('keeps what a person wrote before the latest turn, though the turn before it is too long', () => {
    const [question, answer] = conversation([['x'.repeat(8_000), 'y']]);
    const operator = textMessage('o', 'operator', 'Ann here.', new Date());
    const next = textMessage('n', 'user', 'Thanks', new Date());
    const messages = [question, operator, answer, operator, operator, next].map((message, index) => ({
      ...(message as PlacedMessage),
      sequence: index,
    }));
    expect(splitHistory(messages, 1_000).kept).toEqual(messages.slice(3));
    expect(splitHistory(messages, 1).kept).toEqual(messages.slice(5));
    expect(turnsToFold(messages, 1_000)).toEqual(messages.slice(0, 3));
  });

  it('keeps a history that begins in the middle of a turn', () => {
    const messages = conversation([['a', 'b']]).slice(1);
    expect(splitHistory(messages, 1).kept).toEqual(messages);
  });
});

it('bounds the history by the window of a small model and by our own limit for a large one', () => {
  expect(historyBudget({ contextWindow: 8_000 })).toBe(4_000);
  expect(historyBudget({ contextWindow: 1_000_000 })).toBe(16_000);
});

it('asks with the instructions, the greeting, the summary and the latest turns', () => {
  const state = {
    bot: { systemPrompt: 'Help.', settings: { temperature: 0.2, chat_greeting: 'Hello!' } },
    summary: 'They like tea.',
    messages: conversation([['x'.repeat(80_000), 'y']]).concat(conversation([['Hi', 'Yes?']])),
    steps: 0,
    replyIds: [],
    usage: noUsage,
    cost: noCost,
    ended: false,
  } as unknown as TurnState;
  expect(modelRequest(state, { contextWindow: 100_000 } as never)).toEqual({
    system:
      'Help.\n\nYou opened the conversation with: Hello!\n\nWhat was said before, in short:\nThey like tea.',
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Yes?' },
    ],
    temperature: 0.2,
  });
});

it('tells of the opening that was stored, not of the one that a new conversation would have', () => {
  const opening = { ...textMessage('g', 'assistant', 'Good morning!', new Date()), sequence: 1 };
  const said = conversation([['Hi', 'Yes?']]).map((message) => ({
    ...message,
    sequence: message.sequence + 1,
  }));
  const bot = { systemPrompt: 'Help.', settings: { chat_greeting: 'Good evening!' } };
  const state = { bot, summary: null, messages: [opening, ...said] } as unknown as TurnState;
  const request = modelRequest(state, { contextWindow: 100_000 } as never);
  expect(request.system).toBe('Help.\n\nYou opened the conversation with: Good morning!');
  expect(request.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  // It counts neither in what is folded nor as a turn of its own.
  const long = conversation([
    ['x'.repeat(400), 'y'],
    ['Hi', 'Yes?'],
  ]);
  expect(turnsToFold([opening, ...long], 50)).toEqual(turnsToFold(long, 50));
});

it('leaves the first reply of the built-in model its introduction, whatever the bot opened with', async () => {
  const opening = { ...textMessage('g', 'assistant', 'Good morning!', new Date()), sequence: 1 };
  const asking = { ...textMessage('u', 'user', 'Hi', new Date()), sequence: 2 };
  const replied = { ...textMessage('a', 'assistant', 'Yes?', new Date()), sequence: 3 };
  const replyTo = async (messages: PlacedMessage[]) => {
    const bot = { systemPrompt: '', settings: {} };
    const state = { bot, summary: null, messages } as unknown as TurnState;
    let text = '';
    const read: OnPart = (part) => {
      if (part.type === 'text') text += part.text;
    };
    const request = modelRequest(state, { contextWindow: 100_000 } as never);
    const watch = { signal: new AbortController().signal, onToken: () => undefined };
    await createExtractiveAttempt()(request, read, watch);
    return text;
  };
  expect(await replyTo([opening, asking])).toContain('I am the built-in model');
  expect(await replyTo([opening, asking, replied, asking])).not.toContain('I am the built-in model');
});

describe('passages', () => {
  const passage = {
    knowledge_id: 'k',
    title: 'Returns',
    heading_path: [],
    source_url: null,
    quote: 'Goods can be returned. '.repeat(40),
    score: 1,
  };
  /** A turn of so many steps, after some talk. */
  const grown = (steps: number) => {
    const now = new Date();
    const calls = Array.from({ length: steps }, (_, step) => [
      {
        ...textMessage(`a${step}`, 'assistant', '', now),
        toolCalls: [{ id: `${step}`, name: 'look', arguments: {}, executed_arguments: null }],
      },
      { ...textMessage(`t${step}`, 'tool', `${step} ${'x'.repeat(4_000)}`, now), toolCallId: `${step}` },
    ]);
    return [
      ...conversation([['Hi', 'Hello']]),
      ...[textMessage('q', 'user', 'Can I return it?', now), ...calls.flat()].map((message, index) => ({
        ...message,
        sequence: index + 3,
      })),
    ];
  };
  const request = (messages: PlacedMessage[], contextWindow: number) => {
    const bot = { systemPrompt: '', settings: {} };
    const state = { bot, summary: null, messages, passages: [passage, passage] } as unknown as TurnState;
    return modelRequest(state, { contextWindow } as never);
  };

  it('stay in a turn from which steps were left out, and count in what fits', () => {
    for (const contextWindow of [8_000, 16_000, 64_000]) {
      for (const steps of [1, 5, 50, 200]) {
        const { messages, passages } = request(grown(steps), contextWindow);
        expect(passages).toHaveLength(2);
        const asked = messages.find(({ content }) => content.includes('Can I return it?'));
        expect(asked?.content.match(/<passage /g)).toHaveLength(2);
        const bytes = messages.reduce((sum, { content }) => sum + content.length, 0);
        expect(bytes / 4).toBeLessThanOrEqual(contextWindow * 0.6);
      }
    }
  });

  it('are left out where there is no room for them', () => {
    const { messages, passages } = request(grown(0), 600);
    expect(passages).toBeUndefined();
    expect(messages.at(-1)?.content).toBe('Can I return it?');
  });
});

it('says which images are shown with a result: the latest, and only to models that see', () => {
  const result = (id: string, count: number): PlacedMessage => ({
    ...textMessage(id, 'tool', id, new Date()),
    toolCallId: id,
    sequence: 2,
    images: Array.from({ length: count }, () => new ModelImage('image/png', '')),
  });
  const asking = { ...textMessage('u', 'user', 'Look', new Date()), sequence: 1 };
  const messages = [asking, result('old', 1), result('many', 6), result('one', 1)];
  const bot = { systemPrompt: '', settings: {} };
  const state = { bot, summary: null, messages } as unknown as TurnState;
  const results = (images: boolean) =>
    modelRequest(state, { contextWindow: 100_000, capabilities: { images } } as never).messages.slice(1);
  expect(results(true)).toMatchObject([
    { content: 'old' },
    { content: 'many\n\n[Shown with this result: the last 4 images.]', images: { length: 4 } },
    { content: 'one\n\n[Shown with this result: the last image.]', images: { length: 1 } },
  ]);
  expect(results(false).map(({ content }) => content)).toEqual(['old', 'many', 'one']);
});
