import { assert, integer, property, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelPart } from '../model.ts';
import { createSseReader } from '../sse-reader.ts';
import { createChatReader } from './chat-reader.ts';

function readChunks(chunks: readonly Buffer[]): { text: string; parts: ModelPart[] } {
  const reader = createChatReader({
    onToken: () => undefined,
    estimate: ({ bytes }) => ({ inputTokens: 1, cachedInputTokens: 0, outputTokens: bytes }),
    onFailure: (body) => new Error(`failure ${body}`),
    onBroken: (what) => new Error(`broken ${what}`),
  });
  const events = createSseReader((data) => reader.read(data));
  let text = '';
  for (const chunk of chunks) {
    events.push(chunk);
    text += reader.takeText();
  }
  events.end();
  return { text: text + reader.takeText(), parts: reader.finish() };
}

const readFrames = (...frames: (object | string)[]): { text: string; parts: ModelPart[] } =>
  readChunks(
    frames.map((frame) =>
      Buffer.from(`data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`),
    ),
  );
const delta = (value: object, finish_reason: string | null = null): object => ({
  choices: [{ index: 0, delta: value, finish_reason }],
});
const call = (value: object): object => delta({ tool_calls: [value] });

// As a server of an open model sent it: reasoning, comments, carriage returns, usage in the last frame.
const recorded = [
  ': OPENROUTER PROCESSING\r\n\r\n',
  'data: {"id":"gen-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{"content":null,"reasoning":"Überlegen…"},"finish_reason":null}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{"content":"Grüß "},"finish_reason":null}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{"content":"世界 👩‍🚀"},"finish_reason":null}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c0","type":"function","function":{"name":"find","arguments":""}}]}}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"q\\":\\"K"}}]}}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"öln\\"}"}}]}}]}\r\n\r\n',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":3}}}\r\n\r\n',
  'data: [DONE]\r\n\r\n',
].join('');

describe('the reader of chat completions', () => {
  test('a recorded stream gives the same in any pieces', () => {
    const bytes = Buffer.from(recorded);
    const whole = readChunks([bytes]);
    expect(whole).toEqual({
      text: 'Grüß 世界 👩‍🚀',
      parts: [
        { type: 'tool-call', id: 'c0', name: 'find', arguments: { q: 'Köln' } },
        {
          type: 'finish',
          reason: 'tool-calls',
          usage: { inputTokens: 5, cachedInputTokens: 3, outputTokens: 7 },
        },
      ],
    });
    assert(
      property(uniqueArray(integer({ min: 1, max: bytes.length - 1 })), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        expect(
          readChunks(places.slice(1).map((place, index) => bytes.subarray(places[index], place))),
        ).toEqual(whole);
      }),
    );
  });

  test('calls of a server that gives them all the index 0 stay apart', () => {
    const { parts } = readFrames(
      call({ index: 0, id: 'a', function: { name: 'one', arguments: '{"n":1}' } }),
      call({ index: 0, id: 'b', function: { name: 'two', arguments: '{"n":' } }),
      call({ index: 0, function: { arguments: '2}' } }),
      delta({}, 'stop'),
    );
    expect(parts).toMatchObject([
      { id: 'a', name: 'one', arguments: { n: 1 } },
      { id: 'b', name: 'two', arguments: { n: 2 } },
      { reason: 'tool-calls' },
    ]);
  });

  test('a server that repeats the id with every piece means one call', () => {
    const { parts } = readFrames(
      call({ index: 0, id: 'a', function: { name: 'one', arguments: '{"n"' } }),
      call({ index: 0, id: 'a', function: { name: 'one', arguments: ':1}' } }),
      delta({}, 'tool_calls'),
    );
    expect(parts).toMatchObject([{ id: 'a', arguments: { n: 1 } }, { reason: 'tool-calls' }]);
  });

  test('calls without index and id get an id of ours', () => {
    const { parts } = readFrames(
      call({ function: { name: 'one', arguments: '{}' } }),
      call({ function: { name: 'two', arguments: '' } }),
      delta({}, 'stop'),
    );
    expect(parts).toMatchObject([
      { name: 'one', id: expect.stringMatching(/^call_/) },
      { name: 'two', arguments: {} },
      { reason: 'tool-calls' },
    ]);
  });

  test('the end may be a finish reason without [DONE], or [DONE] without a reason', () => {
    expect(readFrames(delta({ content: 'a' }), delta({}, 'stop')).parts).toMatchObject([{ reason: 'stop' }]);
    expect(readFrames(delta({ content: 'a' }), '[DONE]').parts).toMatchObject([{ reason: 'stop' }]);
    expect(() => readFrames(delta({ content: 'a' }))).toThrow('broken');
  });

  test('a refusal is shown, and said to be one', () => {
    const { text, parts } = readFrames(delta({ refusal: 'I cannot.' }), delta({}, 'stop'));
    expect(text).toBe('I cannot.');
    expect(parts).toMatchObject([{ reason: 'content-filter' }]);
  });

  test.each(['null', '7', '"x"', '{', ''])('the frame %j is broken', (frame) => {
    expect(() => readFrames(frame, delta({}, 'stop'))).toThrow('broken');
  });

  test.each([{}, { choices: [] }, { choices: [null] }, { choices: 'x' }, { choices: [{ delta: null }] }])(
    'the frame %j says nothing',
    (frame) => {
      expect(readFrames(frame, delta({ content: 'a' }), delta({}, 'stop')).text).toBe('a');
    },
  );
});
