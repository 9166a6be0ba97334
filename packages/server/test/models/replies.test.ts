import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTrustedLane, type TrustedLane } from '../../src/egress/trusted-lane.ts';
import type { ModelRequest } from '../../src/models/model.ts';
import { finish, linger, reasoning, text, tokens, toolCalls, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { canaryKey, hello, modelOn, reply, testedWires } from './support.ts';

let scripted: ScriptedModel;
let lane: TrustedLane;

beforeAll(async () => {
  scripted = await startScriptedModel();
  lane = createTrustedLane();
});
beforeEach(() => {
  scripted.reset();
});
afterAll(async () => {
  await lane.close();
  await scripted.close();
});

const weather: ModelRequest = {
  system: 'You know the weather.',
  messages: [{ role: 'user', content: 'Rain?' }],
  tools: [
    {
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  ],
};

describe.each(testedWires)('a reply over the %s wire', (wire) => {
  test('streams the text and ends with one finish that has the usage', async () => {
    scripted.enqueue([text('Grüße, 世界! 🚀 How are you?', 2), usage(120, 9, 80)]);
    const { parts, text: said } = await reply(modelOn(wire, scripted, lane));
    expect(said).toBe('Grüße, 世界! 🚀 How are you?');
    expect(parts.filter((part) => part.type === 'text').length).toBeGreaterThan(1);
    expect(parts.filter((part) => part.type === 'finish')).toEqual([parts.at(-1)]);
    expect(parts.at(-1)).toEqual({
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 120, cachedInputTokens: 80, outputTokens: 9 },
    });
  });

  test('returns several tool calls with their arguments, after the text', async () => {
    scripted.enqueue([
      text('Let me look.'),
      toolCalls([
        { id: 'call_a', name: 'get_weather', arguments: { city: 'Zürich', days: [1, 2] } },
        { id: 'call_b', name: 'get_weather', arguments: { city: 'Oslo' } },
      ]),
    ]);
    const { parts, text: said } = await reply(modelOn(wire, scripted, lane), weather);
    expect(said).toBe('Let me look.');
    expect(parts.filter((part) => part.type === 'tool-call')).toMatchObject([
      { id: 'call_a', name: 'get_weather', arguments: { city: 'Zürich', days: [1, 2] } },
      { id: 'call_b', name: 'get_weather', arguments: { city: 'Oslo' } },
    ]);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
  });

  test('keeps reasoning out of the reply', async () => {
    scripted.enqueue([reasoning('They want a secret plan.'), text('Hello.')]);
    const { text: said } = await reply(modelOn(wire, scripted, lane));
    expect(said).toBe('Hello.');
  });

  test.each([
    ['length', 'length'],
    ['content-filter', 'content-filter'],
  ] as const)('tells that it stopped because of %s', async (scriptedReason, reason) => {
    scripted.enqueue([text('Once upon'), finish(scriptedReason)]);
    const { parts } = await reply(modelOn(wire, scripted, lane));
    expect(parts.at(-1)).toMatchObject({ type: 'finish', reason });
  });

  test('sends the whole conversation, the tools and the settings', async () => {
    scripted.enqueue([text('Yes.')]);
    await reply(modelOn(wire, scripted, lane), {
      ...weather,
      temperature: 0.3,
      maxOutputTokens: 77,
      messages: [
        { role: 'user', content: 'Rain in Oslo?' },
        {
          role: 'assistant',
          content: 'Looking.',
          toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } }],
        },
        { role: 'tool', toolCallId: 'call_1', toolName: 'get_weather', content: 'no service', isError: true },
        { role: 'user', content: 'And now?' },
      ],
    });
    const [request] = scripted.requests;
    expect(request?.wire).toBe(wire);
    expect(request?.body).toMatchSnapshot();
    expect(request?.path).toMatchSnapshot();
  });

  test('allows no tool calls when none are allowed, in a conversation with earlier calls', async () => {
    scripted.enqueue([text('Yes.')]);
    await reply(modelOn(wire, scripted, lane), {
      ...weather,
      toolsDisabled: true,
      messages: [
        { role: 'user', content: 'Rain in Oslo?' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } }],
        },
        { role: 'tool', toolCallId: 'call_1', toolName: 'get_weather', content: 'rain' },
      ],
    });
    const { tools, tool_choice: choice, toolConfig } = scripted.requests[0]?.body ?? {};
    const sent = { tools: tools === undefined ? 'none' : 'defined', choice, toolConfig };
    // Some providers need the definitions of earlier calls; OpenAI-compatible servers may not know `none`.
    expect(sent).toEqual(
      {
        chat: { tools: 'none' },
        responses: { tools: 'none' },
        anthropic: { tools: 'defined', choice: { type: 'none' } },
        google: { tools: 'defined', toolConfig: { functionCallingConfig: { mode: 'NONE' } } },
      }[wire],
    );
  });

  test('authenticates with the key, and sends it nowhere else', async () => {
    scripted.enqueue([text('Yes.')]);
    await reply(modelOn(wire, scripted, lane));
    const [request] = scripted.requests;
    const carriers = Object.entries(request?.headers ?? {}).filter(([, value]) => value?.includes(canaryKey));
    const header = {
      chat: 'authorization',
      responses: 'authorization',
      anthropic: 'x-api-key',
      google: 'x-goog-api-key',
    };
    expect(carriers.map(([name]) => name)).toEqual([header[wire]]);
    expect(JSON.stringify(request?.body)).not.toContain(canaryKey);
    expect(request?.path).not.toContain(canaryKey);
  });

  test('reuses its connection', async () => {
    scripted.respondWith([tokens(3), linger(5)]);
    const ownLane = createTrustedLane();
    const model = modelOn(wire, scripted, ownLane);
    for (let round = 0; round < 4; round += 1) {
      await reply(model);
      await scripted.requests.at(-1)?.closedEarly;
    }
    const connections = new Set(scripted.requests.map((request) => request.clientPort)).size;
    expect(scripted.requests).toHaveLength(4);
    // A second one may be opened while the first is still being released; without reuse there would be four.
    expect(connections).toBeLessThan(4);
    await ownLane.close();
  });

  test('requests JSON mode where the provider has one', async () => {
    scripted.enqueue([text('{"ok":true}')]);
    await reply(modelOn(wire, scripted, lane), { ...hello, jsonMode: true });
    const hasMode = /"json_object"|"application\/json"/.test(JSON.stringify(scripted.requests[0]?.body));
    expect(hasMode).toBe(wire !== 'anthropic');
  });
});
