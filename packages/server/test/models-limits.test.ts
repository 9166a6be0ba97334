import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTrustedLane, type TrustedLane } from '../src/egress/trusted-lane.ts';
import { defaultRetryPolicy } from '../src/models/retry.ts';
import { failureOf, hello, modelOn, reply, testedWires } from './models-support.ts';
import { hang, linger, open, reasoning, status, text } from './scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/server.ts';

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
  test.each([
    ['before the head', [hang]],
    ['after the head', [open, hang]],
  ])('a hang %s ends at the limit to the first token, and closes the connection', async (_, steps) => {
    scripted.enqueue(steps);
    const error = await failureOf(reply(modelOn(wire, scripted, lane, { limits: { firstTokenMs: 250 } })));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('begin') });
    expect(scripted.requests).toHaveLength(1);
    expect(await scripted.requests[0]?.closedEarly).toBe(true);
  });

  test('a hang in the middle ends at the limit between tokens, and closes the connection', async () => {
    scripted.enqueue([text('Half'), hang]);
    const limits = { betweenTokensMs: 60 };
    const error = await failureOf(reply(modelOn(wire, scripted, lane, { limits })));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('middle') });
    expect(await scripted.requests[0]?.closedEarly).toBe(true);
  });

  test('hidden reasoning counts as a sign of life', async () => {
    scripted.enqueue([reasoning('a b c d e f g h', 40), text('Done.')]);
    const limits = { firstTokenMs: 250, betweenTokensMs: 250 };
    expect((await reply(modelOn(wire, scripted, lane, { limits }))).text).toBe('Done.');
  });

  test('a slow reader is not a slow model', async () => {
    scripted.enqueue([text('one two three', 1)]);
    const said: string[] = [];
    const stream = modelOn(wire, scripted, lane, { limits: { betweenTokensMs: 200 } }).stream(
      hello,
      new AbortController().signal,
    );
    for await (const part of stream) {
      if (part.type !== 'text') continue;
      said.push(part.text);
      if (said.length === 1) await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(said.join('')).toBe('one two three');
  });

  test('aborting closes the connection and throws the reason', async () => {
    scripted.enqueue([text('Half'), hang]);
    const controller = new AbortController();
    const reason = new Error('the user left');
    const read = async (): Promise<void> => {
      for await (const part of modelOn(wire, scripted, lane).stream(hello, controller.signal)) {
        if (part.type === 'text') setTimeout(() => controller.abort(reason), 5);
      }
    };
    expect(await failureOf(read())).toBe(reason);
    expect(await scripted.requests[0]?.closedEarly).toBe(true);
  });

  test('aborting before the answer and before the request', async () => {
    scripted.enqueue([hang]);
    const controller = new AbortController();
    const model = modelOn(wire, scripted, lane);
    const pending = failureOf(model.stream(hello, controller.signal)[Symbol.asyncIterator]().next());
    while (scripted.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    controller.abort();
    expect(await pending).toMatchObject({ name: 'AbortError' });
    expect(await scripted.requests[0]?.closedEarly).toBe(true);
    const late = failureOf(model.stream(hello, controller.signal)[Symbol.asyncIterator]().next());
    expect(await late).toMatchObject({ name: 'AbortError' });
    expect(scripted.requests).toHaveLength(1);
  });

  test('leaving the loop closes the connection', async () => {
    scripted.enqueue([text('Half'), hang]);
    for await (const part of modelOn(wire, scripted, lane).stream(hello, new AbortController().signal)) {
      if (part.type === 'text') break;
    }
    expect(await scripted.requests[0]?.closedEarly).toBe(true);
  });

  test('an abort while it waits for the next try ends the waiting', async () => {
    scripted.enqueue([status(503)]);
    const controller = new AbortController();
    const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> => {
      setImmediate(() => controller.abort());
      return defaultRetryPolicy.sleep(milliseconds, signal);
    };
    const retry = { sleep, baseDelayMs: 60_000, maxDelayMs: 60_000 };
    const model = modelOn(wire, scripted, lane, { retry });
    const waiting = failureOf(model.stream(hello, controller.signal)[Symbol.asyncIterator]().next());
    expect(await waiting).toMatchObject({ name: 'AbortError' });
    expect(scripted.requests).toHaveLength(1);
  });
});

test.each(['chat', 'responses', 'anthropic'] as const)(
  '%s: a body that stays open after the last part is not waited for, and is closed',
  async (wire) => {
    scripted.enqueue([text('Done.'), linger()]);
    expect((await reply(modelOn(wire, scripted, lane))).text).toBe('Done.');
    const [request] = scripted.requests;
    expect(await Promise.race([request?.closedEarly, Promise.resolve('still open')])).toBe('still open');
    expect(await request?.closedEarly).toBe(true);
  },
);
