import { assert, asyncProperty, integer } from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTrustedLane, type TrustedLane } from '../../src/egress/trusted-lane.ts';
import type { OnPart } from '../../src/models/model.ts';
import { cut, end, open, raw, status, text, tokens } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { canaryKey, everythingIn, failureOf, hello, modelOn, reply, testedWires } from './support.ts';

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

describe.each(testedWires)('over the %s wire', (wire) => {
  test('429 and 5xx before the first part are retried, after the time that the provider requests', async () => {
    const slept: number[] = [];
    const sleep = (milliseconds: number): Promise<void> => {
      slept.push(milliseconds);
      return Promise.resolve();
    };
    scripted.enqueue([status(429, { 'retry-after': '7' })], [status(503)], [text('Here.')]);
    const model = modelOn(wire, scripted, lane, { retry: { sleep, random: () => 0.5, baseDelayMs: 1000 } });
    expect((await reply(model)).text).toBe('Here.');
    expect(slept).toEqual([7_000, 1_500]);
    expect(scripted.requests).toHaveLength(3);
  });

  test.each([
    [429, 'MODEL_RATE_LIMITED', 3],
    [500, 'MODEL_UNAVAILABLE', 3],
    [529, 'MODEL_UNAVAILABLE', 3],
    [400, 'MODEL_REJECTED', 1],
    [401, 'MODEL_REJECTED', 1],
    [404, 'MODEL_REJECTED', 1],
  ])('status %d becomes %s after %d attempts, and reveals no key', async (code, expected, tries) => {
    const body = {
      error: { message: `Incorrect API key provided: ${canaryKey}`, type: 'x', code: canaryKey },
    };
    scripted.enqueue([status(code, {}, body)], [status(code, {}, body)], [status(code, {}, body)]);
    const error = await failureOf(reply(modelOn(wire, scripted, lane)));
    expect(error).toMatchObject({ name: 'AppError', code: expected });
    expect(scripted.requests).toHaveLength(tries);
    expect(everythingIn(error)).not.toContain(canaryKey);
    expect(error).toMatchObject({ cause: expect.any(Error) });
  });

  test('a conversation that is too long has its own code', async () => {
    const message = 'prompt is too long: 250000 tokens > 200000 maximum';
    scripted.enqueue([status(400, {}, { type: 'error', error: { type: 'invalid_request_error', message } })]);
    const error = await failureOf(reply(modelOn(wire, scripted, lane)));
    expect(error).toMatchObject({ code: 'CONTEXT_TOO_LONG' });
  });

  test('a redirect is not followed, so that the key is not sent elsewhere', async () => {
    const stranger = await startScriptedModel();
    scripted.enqueue([status(307, { location: `${stranger.url('openai')}/chat/completions` })]);
    const error = await failureOf(reply(modelOn(wire, scripted, lane)));
    expect(error).toMatchObject({ code: 'MODEL_REJECTED' });
    expect(stranger.requests).toHaveLength(0);
    await stranger.close();
  });

  test('an unreachable provider is unavailable', async () => {
    const gone = await startScriptedModel();
    await gone.close();
    const error = await failureOf(reply(modelOn(wire, gone, lane)));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });

  test('a connection that is cut before the first part is retried', async () => {
    scripted.enqueue([open, cut], [text('Second try.')]);
    expect((await reply(modelOn(wire, scripted, lane))).text).toBe('Second try.');
    expect(scripted.requests).toHaveLength(2);
  });

  test.each([
    ['is cut', [cut]],
    ['ends too soon', [end]],
    ['has a frame that is not JSON', [raw('data: {"broken": \n\n'), text(' more')]],
  ])('a reply that %s in the middle fails, and no text is sent twice', async (_, steps) => {
    scripted.respondWith([text('Half a sen', 5), ...steps]);
    let said = '';
    const listen: OnPart = (part) => {
      if (part.type === 'text') said += part.text;
    };
    const read = modelOn(wire, scripted, lane).reply(hello, listen, new AbortController().signal);
    expect(await failureOf(read)).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    // A busy machine may see the failure together with the text: then no text was sent, and it retries.
    expect('Half a sen').toContain(said);
    expect(scripted.requests).toHaveLength(said === '' ? 3 : 1);
  });

  test('a wait beyond our limit is reported immediately', async () => {
    scripted.enqueue([status(429, { 'retry-after': '3600' })]);
    const error = await failureOf(reply(modelOn(wire, scripted, lane)));
    expect(error).toMatchObject({ code: 'MODEL_RATE_LIMITED', retryAfterMs: 3_600_000 });
    expect(scripted.requests).toHaveLength(1);
  });
});

describe.each(['chat', 'responses'] as const)('our reader of the %s wire', (wire) => {
  test('either has the whole reply or fails, at whatever byte it is cut', async () => {
    const steps = [text('Grüße aus Köln'), text(' und Tschüss')];
    scripted.enqueue(steps);
    const whole = await reply(modelOn(wire, scripted, lane));
    const model = modelOn(wire, scripted, lane, { retry: { attempts: 1 } });
    await assert(
      asyncProperty(integer({ min: 0, max: 2_500 }), async (cutAtByte) => {
        scripted.enqueue({ steps, cutAtByte });
        const outcome = await reply(model).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
        else expect(outcome).toMatchObject({ text: whole.text });
      }),
      { numRuns: 60 },
    );
  });

  test.each([1, 3, 7, 64])('a proxy that sends chunks of %d bytes changes nothing', async (chunkBytes) => {
    scripted.enqueue({ steps: [text('日本語 und Ümläute 🎉')], chunkBytes });
    expect((await reply(modelOn(wire, scripted, lane))).text).toBe('日本語 und Ümläute 🎉');
  });
});

test('chat: an error inside the stream becomes a code without the text', async () => {
  const frame = { error: { message: `key ${canaryKey} over quota`, type: 'rate_limit_error' } };
  scripted.respondWith([text('Half', 2), raw(`data: ${JSON.stringify(frame)}\n\n`)]);
  const error = await failureOf(reply(modelOn('chat', scripted, lane)));
  expect(error).toMatchObject({ code: 'MODEL_RATE_LIMITED' });
  expect(everythingIn(error)).not.toContain(canaryKey);
});

test('chat: a connection that is cut after the last text loses only the token count', async () => {
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  scripted.enqueue([text('All of it.'), raw(`data: ${JSON.stringify(last)}\n\n`), cut]);
  const { text: said, parts } = await reply(modelOn('chat', scripted, lane));
  expect(said).toBe('All of it.');
  expect(parts.at(-1)).toMatchObject({ reason: 'stop', usage: { outputTokens: 3 } });
});

test('responses: a failed response becomes a code', async () => {
  const event = {
    type: 'response.failed',
    response: { error: { code: 'server_error', message: canaryKey } },
  };
  scripted.enqueue([raw(`data: ${JSON.stringify(event)}\n\n`)], [text('Again.')]);
  expect((await reply(modelOn('responses', scripted, lane))).text).toBe('Again.');
});

test('anthropic: an overloaded error inside a 200 is retried', async () => {
  const event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  scripted.enqueue([raw(`event: error\ndata: ${JSON.stringify(event)}\n\n`)], [text('Again.')]);
  expect((await reply(modelOn('anthropic', scripted, lane))).text).toBe('Again.');
});

test('a kept-alive connection that the server has closed is replaced without using an attempt', async () => {
  const ownLane = createTrustedLane();
  const model = modelOn('chat', scripted, ownLane, { retry: { attempts: 1 } });
  scripted.enqueue([tokens(2)], [cut], [text('Again.')]);
  await reply(model);
  expect((await reply(model)).text).toBe('Again.');
  await ownLane.close();
});

test('a new connection that is closed without a response is a failure', async () => {
  const ownLane = createTrustedLane();
  scripted.enqueue([cut]);
  const model = modelOn('chat', scripted, ownLane, { retry: { attempts: 1 } });
  expect(await failureOf(reply(model))).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  await ownLane.close();
});
