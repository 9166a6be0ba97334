import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../models/model.ts';
import { costOf } from '../models/prices.ts';
import { estimateTokens } from '../models/token-estimate.ts';
import { quoteEmbedding, quoteRequest, requirePrice, withMore } from './quote.ts';

const model = { contextWindow: 100_000, maxOutputTokens: 10_000 };
/** A token that goes in costs a thousandth of a dollar, one that comes out a hundredth. */
const price = { input: 1_000, cachedInput: 1_000, output: 10_000 };
const request: ModelRequest = {
  system: 'Be kind.',
  messages: [{ role: 'user', content: 'x'.repeat(1_000) }],
};

describe('what a request can cost', () => {
  it.each([
    ['its history', { messages: [...request.messages, { role: 'assistant', content: 'y'.repeat(5_000) }] }],
    ['its instructions', { system: 'z'.repeat(5_000) }],
    ['its tools', { tools: [{ name: 'x', description: 'y'.repeat(5_000), parameters: {} }] }],
    [
      'its calls',
      {
        messages: [
          {
            role: 'assistant',
            content: '',
            toolCalls: [{ id: 'x', name: 'y', arguments: { text: 'z'.repeat(5_000) } }],
          },
        ],
      },
    ],
  ] as [string, Partial<ModelRequest>][])('grows with %s', (_what, more) => {
    const { least } = quoteRequest(model, request, price);
    expect(quoteRequest(model, { ...request, ...more }, price).least).toBeGreaterThan(least + 3_900_000_000n);
  });

  it('is never less than any provider counts, whatever the script', () => {
    const messages = [{ role: 'user' as const, content: '𓀀𓂀🜁 éß 你好 {}[] 1234567890'.repeat(20) }];
    const quote = quoteRequest(model, { messages }, price);
    const bytes = Buffer.byteLength(messages[0]?.content ?? '');
    expect(quote.costWith(0)).toBeGreaterThanOrEqual(BigInt(bytes) * 1_000_000n);
    expect(quote.costWith(0)).toBeGreaterThan(
      BigInt(estimateTokens(messages[0]?.content ?? '')) * 1_000_000n,
    );
  });

  it('is never more than the model can read', () => {
    const messages = [{ role: 'user' as const, content: 'x'.repeat(1_000_000) }];
    expect(quoteRequest(model, { messages }, price).costWith(0)).toBe(100_000n * 1_000_000n);
  });

  it('covers the shortest reply at least, and the longest at most, even if it is asked for twice', () => {
    const { least, usual, most, costWith } = quoteRequest(model, request, price);
    expect([least, usual, most]).toEqual([costWith(500), costWith(4_000), costWith(10_000) * 2n]);
    const short = quoteRequest(model, { ...request, maxOutputTokens: 100 }, price);
    expect([short.least, short.usual]).toEqual([costWith(100), costWith(100)]);
  });
});

describe('the longest reply that an amount pays for', () => {
  it.each([500, 501, 1_234, 4_000])('of %d tokens is found exactly', (tokens) => {
    const { outputWithin, costWith } = quoteRequest(model, request, price);
    expect(outputWithin(costWith(tokens))).toBe(tokens);
    expect(outputWithin(costWith(tokens) + 1n)).toBe(tokens);
    expect(outputWithin(costWith(tokens) - 1n)).toBe(tokens - 1);
  });

  it('leaves as much again for a second attempt, beyond a usual reply', () => {
    const { outputWithin, costWith } = quoteRequest(model, request, price);
    expect(outputWithin(costWith(7_000))).toBe(4_000);
    expect(outputWithin(costWith(7_000) * 2n)).toBe(7_000);
  });

  it('is what the model can say, for any amount, and where words are free', () => {
    const { most, outputWithin } = quoteRequest(model, request, price);
    expect(outputWithin(most)).toBe(10_000);
    expect(quoteRequest(model, request, { ...price, output: 0 }).outputWithin(0n)).toBe(10_000);
  });

  it('leaves room for what goes in', () => {
    const small = { contextWindow: 8_192, maxOutputTokens: 8_000 };
    const long = { messages: [{ role: 'user' as const, content: 'x'.repeat(16_000) }] };
    const { most, outputWithin } = quoteRequest(small, long, price);
    expect(outputWithin(most)).toBeLessThan(8_192 - 4_000);
    expect(outputWithin(most)).toBeGreaterThan(2_000);
  });

  it('is priced as the provider prices a long request', () => {
    const tiered = {
      ...price,
      longContext: { ...price, input: 2_000, output: 20_000, aboveInputTokens: 500 },
    };
    const { outputWithin, costWith } = quoteRequest(model, request, tiered);
    expect(costWith(700)).toBeGreaterThan(
      costOf({ inputTokens: 0, cachedInputTokens: 0, outputTokens: 1_400 }, price),
    );
    expect(outputWithin(costWith(700))).toBe(700);
  });
});

it('vectors cost what their text does, and no more can be needed', () => {
  expect(quoteEmbedding(10, price)).toEqual({ least: 10_000_000n, usual: 10_000_000n, most: 10_000_000n });
});

it('takes in what is sure to follow', () => {
  expect(withMore({ least: 1n, usual: 2n, most: 3n }, 10n)).toEqual({ least: 11n, usual: 12n, most: 13n });
});

it('is refused for a model without a known price, with the variable to set', () => {
  expect(() => requirePrice('openai/unknown', undefined)).toThrow(/openai\/unknown.*SVC_MODEL_PRICES/);
});
