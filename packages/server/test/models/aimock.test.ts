import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTrustedLane, type TrustedLane } from '../../src/egress/trusted-lane.ts';
import { failureOf, modelOn, reply, testedWires } from './support.ts';

/** The same wires as implemented by others. */
const mock = new LLMock({ port: 0, chunkSize: 5 });
let lane: TrustedLane;
// Each wire reads other field names from a fixture.
const aimockUsage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  input_tokens: 11,
  output_tokens: 7,
  promptTokenCount: 11,
  candidatesTokenCount: 7,
  totalTokenCount: 18,
};
const server = {
  url: (provider: string): string => `${mock.url}${provider === 'google' ? '/v1beta' : '/v1'}`,
};

beforeAll(async () => {
  lane = createTrustedLane();
  mock.onMessage('hello', {
    content: 'Hello from an independent server: äöü 🎈.',
    usage: aimockUsage,
  });
  mock.onMessage('weather', {
    toolCalls: [{ id: 'call_weather', name: 'get_weather', arguments: '{"city":"Köln","days":3}' }],
  });
  mock.onMessage('think', { content: 'The answer.', reasoning: 'Hidden thoughts.' });
  mock.onMessage('refuse', { error: { message: 'Bad request', type: 'invalid_request_error' }, status: 400 });
  await mock.start();
});
afterAll(async () => {
  await lane.close();
  await mock.stop();
});

const ask = (content: string) => ({
  messages: [{ role: 'user' as const, content }],
  tools: [{ name: 'get_weather', description: 'Weather', parameters: { type: 'object', properties: {} } }],
});

describe.each(testedWires)('aimock over the %s wire', (wire) => {
  test('text with usage', async () => {
    const { parts, text } = await reply(modelOn(wire, server, lane), ask('hello'));
    expect(text).toBe('Hello from an independent server: äöü 🎈.');
    expect(parts.at(-1)).toEqual({
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 11, cachedInputTokens: 0, outputTokens: 7 },
    });
  });

  test('a tool call', async () => {
    const { parts } = await reply(modelOn(wire, server, lane), ask('weather'));
    expect(parts).toMatchObject([
      { type: 'tool-call', name: 'get_weather', arguments: { city: 'Köln', days: 3 } },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  test('reasoning stays out of the reply', async () => {
    expect((await reply(modelOn(wire, server, lane), ask('think'))).text).toBe('The answer.');
  });

  test('a refusal', async () => {
    const error = await failureOf(reply(modelOn(wire, server, lane), ask('refuse')));
    expect(error).toMatchObject({ code: 'MODEL_REJECTED' });
  });
});
