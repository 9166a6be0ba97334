import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTrustedLane, type TrustedLane } from '../../src/egress/trusted-lane.ts';
import { defaultRetryPolicy } from '../../src/models/retry.ts';
import { hang, linger, open, reasoning, status, text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { failureOf, hello, modelOn, reply, testedWires } from './support.ts';

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
    const error = await failureOf(reply(modelOn(wire, scripted, lane, { limits: { firstTokenMs: 1_500 } })));
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
    scripted.enqueue([reasoning('a b c'), hang]);
    // The limit to the first token no longer counts.
    const limits = { firstTokenMs: 30_000, betweenTokensMs: 60 };
    const error = await failureOf(reply(modelOn(wire, scripted, lane, { limits })));
    expect(error).toMatchObject({ code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('middle') });
  });

  test('aborting closes the connection and throws the reason', async () => {
    scripted.enqueue([text('Half'), hang]);
    const controller = new AbortController();
    const reason = new Error('the user left');
    const leave = () => void setTimeout(() => controller.abort(reason), 5);
    const read = modelOn(wire, scripted, lane).reply(hello, leave, controller.signal);
    expect(await failureOf(read)).toBe(reason);
    expect(await scripted.requests[0]?.closedEarly).toBe(true);
  });

  test('aborting before the answer and before the request', async () => {
    scripted.enqueue([hang]);
    const controller = new AbortController();
    const model = modelOn(wire, scripted, lane);
    const pending = failureOf(model.reply(hello, () => undefined, controller.signal));
    while (scripted.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    controller.abort();
    expect(await pending).toMatchObject({ name: 'AbortError' });
    expect(await scripted.requests[0]?.closedEarly).toBe(true);
    const late = failureOf(model.reply(hello, () => undefined, controller.signal));
    expect(await late).toMatchObject({ name: 'AbortError' });
    expect(scripted.requests).toHaveLength(1);
  });

  test('an error thrown by the reader closes the connection, and nothing is retried', async () => {
    scripted.enqueue([text('Half'), hang]);
    const enough = new Error('enough');
    const refuse = () => {
      throw enough;
    };
    const read = modelOn(wire, scripted, lane).reply(hello, refuse, new AbortController().signal);
    expect(await failureOf(read)).toBe(enough);
    expect(await scripted.requests[0]?.closedEarly).toBe(true);
    expect(scripted.requests).toHaveLength(1);
  });

  test('aborting ends the wait for the next retry', async () => {
    scripted.enqueue([status(503)]);
    const controller = new AbortController();
    const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> => {
      setImmediate(() => controller.abort());
      return defaultRetryPolicy.sleep(milliseconds, signal);
    };
    const retry = { sleep, baseDelayMs: 60_000, maxDelayMs: 60_000 };
    const model = modelOn(wire, scripted, lane, { retry });
    const waiting = failureOf(model.reply(hello, () => undefined, controller.signal));
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
