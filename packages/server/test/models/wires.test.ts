import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTrustedLane, type TrustedLane } from '../../src/egress/trusted-lane.ts';
import type { ModelRequest, ModelToolCall } from '../../src/models/model.ts';
import { ModelImage } from '../../src/models/model-image.ts';
import { noUsage, reasoning, status, text, toolCall, toolCalls } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { failureOf, modelIdOf, modelOn, reply, testedWires } from './support.ts';

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

describe.each(['chat', 'responses'] as const)('the %s wire', (wire) => {
  test('estimates the usage when the provider sends none', async () => {
    scripted.enqueue([text('four bytes are about one token'), noUsage]);
    const { parts } = await reply(modelOn(wire, scripted, lane));
    const last = parts.at(-1);
    if (last?.type !== 'finish') throw new Error('no finish');
    expect(last.usage.outputTokens).toBe(Math.ceil('four bytes are about one token'.length / 4));
    expect(last.usage.inputTokens).toBeGreaterThan(0);
  });

  test('passes on arguments that are not JSON unchanged', async () => {
    scripted.enqueue([toolCall('get_weather', '{"city": "Os')]);
    const { parts } = await reply(modelOn(wire, scripted, lane), weather);
    expect(parts[0]).toMatchObject({ type: 'tool-call', arguments: {}, invalid: '{"city": "Os' });
  });
});

describe('an image that a tool returned', () => {
  const data = Buffer.from('an image').toString('base64');
  const other = Buffer.from('another one').toString('base64');
  const made = (id: string) => ({ id, name: 'get_weather', arguments: {} });
  const request: ModelRequest = {
    ...weather,
    messages: [
      ...weather.messages,
      { role: 'assistant', content: '', toolCalls: [made('c1'), made('c2')] },
      {
        role: 'tool',
        toolCallId: 'c1',
        toolName: 'get_weather',
        content: 'The radar.',
        images: [new ModelImage('image/png', data), new ModelImage('image/gif', other)],
      },
      { role: 'tool', toolCallId: 'c2', toolName: 'get_weather', content: 'Rain.' },
    ],
  };
  const url = `data:image/png;base64,${data}`;

  test.each([
    ['chat', { type: 'image_url', image_url: { url } }],
    ['responses', { type: 'input_image', image_url: url }],
    ['anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
    ['google', { inlineData: { mimeType: 'image/png', data } }],
  ] as const)('is shown to the model on the wire %s', async (wire, part) => {
    scripted.enqueue([text('Rain.')]);
    const model = modelOn(wire, scripted, lane);
    expect(model.capabilities.images).toBe(true);
    await reply(model, request);
    const sent = JSON.stringify(scripted.requests.at(-1)?.body);
    expect(sent).toContain(JSON.stringify(part).slice(1, -1));
    expect(sent).toContain(other);
    expect(sent).toContain('The radar.');
    // Results stay together.
    if (wire === 'chat') expect(sent.indexOf('"Rain."')).toBeLessThan(sent.indexOf(url));
  });

  test.each(testedWires)('is left out if the provider refuses the request on the wire %s', async (wire) => {
    scripted.enqueue([status(400)], [text('Rain.')], [status(400)], [status(400)], [text('Never.')]);
    const model = modelOn(wire, scripted, lane);
    expect((await reply(model, request)).text).toBe('Rain.');
    const sent = JSON.stringify(scripted.requests.at(-1)?.body);
    expect(sent).not.toContain(data);
    expect(sent).toContain(
      'The radar.\\n\\n[The images are not shown after all, because they cannot be read.]',
    );
    expect(await failureOf(reply(model, request))).toMatchObject({ code: 'MODEL_REJECTED' });
    expect(scripted.requests).toHaveLength(4);
  });

  test('of a failure is left out, so that it stays a failure', async () => {
    scripted.enqueue([text('Rain.')]);
    const messages = request.messages.map((message) =>
      message.role === 'tool' ? { ...message, isError: true as const } : message,
    );
    await reply(modelOn('anthropic', scripted, lane), { ...request, messages });
    const sent = JSON.stringify(scripted.requests.at(-1)?.body);
    expect(sent.match(/"is_error":true/g)).toHaveLength(2);
    expect(sent).not.toContain(data);
  });

  test('is in no estimate, log or trace', () => {
    expect(JSON.stringify(request)).not.toContain(data);
    expect(JSON.stringify(structuredClone(request.messages[2]))).not.toContain(data);
  });
});

describe('an image of a user', () => {
  const data = Buffer.from('a mug').toString('base64');
  const image = new ModelImage('image/jpeg', data);
  const messages: ModelRequest['messages'] = [{ role: 'user', content: 'It is broken.', images: [image] }];
  const url = `data:image/jpeg;base64,${data}`;

  test.each([
    ['chat', { type: 'image_url', image_url: { url } }],
    ['responses', { type: 'input_image', image_url: url }],
    ['anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data } }],
    ['google', { inlineData: { mimeType: 'image/jpeg', data } }],
  ] as const)('is shown with its text on the wire %s', async (wire, part) => {
    scripted.enqueue([text('Oh.')]);
    await reply(modelOn(wire, scripted, lane), { messages });
    const sent = JSON.stringify(scripted.requests.at(-1)?.body);
    expect(sent).toContain(JSON.stringify(part).slice(1, -1));
    expect(sent.indexOf('It is broken.')).toBeLessThan(sent.indexOf(data));
  });

  test.each(testedWires)('is left out if the provider refuses the request on the wire %s', async (wire) => {
    scripted.enqueue([status(400)], [text('Oh.')]);
    expect((await reply(modelOn(wire, scripted, lane), { messages })).text).toBe('Oh.');
    const sent = JSON.stringify(scripted.requests.at(-1)?.body);
    expect(sent).not.toContain(data);
    expect(sent).toContain('It is broken.\\n\\n[The images are not shown after all');
  });
});

test('google: usage is estimated when none is sent', async () => {
  scripted.enqueue([text('some words'), noUsage]);
  const { parts } = await reply(modelOn('google', scripted, lane));
  expect(parts.at(-1)).toMatchObject({ usage: { outputTokens: 3 } });
});

test('chat: interleaved chunks of tool calls are joined by their index', async () => {
  scripted.enqueue([
    toolCalls(
      [
        { id: 'a', name: 'first', arguments: { long: 'x'.repeat(40), n: 1 } },
        { id: 'b', name: 'second', arguments: { short: true } },
        { id: 'c', name: 'third', arguments: {} },
      ],
      true,
    ),
  ]);
  const { parts } = await reply(modelOn('chat', scripted, lane), weather);
  expect(parts.slice(0, 3)).toEqual([
    { type: 'tool-call', id: 'a', name: 'first', arguments: { long: 'x'.repeat(40), n: 1 } },
    { type: 'tool-call', id: 'b', name: 'second', arguments: { short: true } },
    { type: 'tool-call', id: 'c', name: 'third', arguments: {} },
  ]);
});

describe("a provider's state of a tool call", () => {
  const cases = [
    ['anthropic', 'signed-thought'],
    ['responses', 'encrypted-reasoning'],
    ['google', 'google-signature'],
  ] as const;
  const script = [
    reasoning('thinking hard'),
    text('Looking.'),
    toolCalls([
      { id: 'c1', name: 'get_weather', arguments: { city: 'Oslo' }, signature: 'google-signature' },
    ]),
  ];

  test.each(cases)('is sent back to %s, before the text', async (wire, secret) => {
    scripted.respondWith([text('Rain.')]);
    scripted.enqueue(script);
    const model = modelOn(wire, scripted, lane);
    const { parts } = await reply(model, weather);
    const call = parts.find((part) => part.type === 'tool-call');
    if (call?.type !== 'tool-call') throw new Error('no call');
    expect(call.providerState?.model).toBe(modelIdOf(wire));
    const stored = structuredClone(call);
    const withCall = (made: ModelToolCall): ModelRequest => ({
      ...weather,
      messages: [
        ...weather.messages,
        { role: 'assistant', content: 'Looking.', toolCalls: [made] },
        { role: 'tool', toolCallId: 'c1', toolName: 'get_weather', content: 'rain' },
      ],
    });
    await reply(model, withCall(stored));
    const sent = JSON.stringify(scripted.requests[1]?.body);
    expect(sent).toContain(secret);
    if (wire !== 'google') expect(sent.indexOf(secret)).toBeLessThan(sent.indexOf('Looking.'));
    const foreign = { model: 'another/model', data: call.providerState?.data };
    await reply(model, withCall({ ...stored, providerState: foreign }));
    expect(JSON.stringify(scripted.requests[2]?.body)).not.toContain(secret);
    await reply(modelOn(wire === 'anthropic' ? 'chat' : 'anthropic', scripted, lane), withCall(stored));
    expect(JSON.stringify(scripted.requests[3]?.body)).not.toContain(secret);
  });
});
