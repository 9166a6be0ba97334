import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { cut, finish, reasoning, text, toolCall, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../scripted-model/server.ts';
import { complete, endOfRun, isCheck, makeAgent, playAgent, startRun } from '../support/agents.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { assignTools, judge } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import {
  accountOf,
  inputTokensOf,
  outputTokensOf,
  type PaidWorkspace,
  recordedIn,
  workspaceWith,
} from './money.ts';

/** An input token costs a thousandth of a dollar, an output token a cent. */
const prices = JSON.stringify({ 'openai/gpt-4*': { input: 1_000, output: 10_000 } });

let scripted: ScriptedModel;
let played: HandPlayedModel;
let services: { scripted: TestApp; played: TestApp };
let service: PaidWorkspace;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  played = await startHandPlayedModel();
  const startWith = (model: Pick<ScriptedModel, 'url'>) =>
    startTestApp({ environment: { ...scriptedEnvironment(model), SVC_MODEL_PRICES: prices } });
  services = { scripted: await startWith(scripted), played: await startWith(played) };
});
beforeEach(() => scripted.reset());
afterAll(async () => {
  for (const one of Object.values(services)) await one.stop();
  await scripted.close();
  await played.close();
});

async function start(balance: string | null, model: keyof typeof services = 'scripted'): Promise<void> {
  service = await workspaceWith(services[model], balance);
}

const account = () => accountOf(service.database, service.id);
const maxTokens = (request: ScriptedRequest | undefined) => Number(request?.body['max_tokens']);

describe('a reservation', () => {
  it('covers the instructions, the history and the tools, and not only the message', async () => {
    await start('10000', 'played');
    const bot = await chat.bot({ system_prompt: 'x'.repeat(2_000) });
    await assignTools(service.call, bot, [{ tool_type: 'calculator' }]);
    const user = { bot_id: bot, external_user_id: randomUUID() };
    const first = await chat.send({ ...user, message: 'y'.repeat(8_000) });
    const model = await played.next();
    // At most 10,000 input and 16,384 output tokens: $10 and $163.84, and the same again for a second attempt.
    const { reserved } = await account();
    expect(reserved).toBeGreaterThan(2 * (10 + 163.84));
    expect(reserved).toBeLessThan(2 * (12 + 163.84));
    model.finish({ input: 0, output: 1 });
    await first.until('turn.completed');
    const second = await chat.send({ ...user, message: 'z' });
    const next = await played.next();
    expect((await account()).reserved).toBeGreaterThan(reserved);
    next.finish({ input: 0, output: 1 });
    await second.until('turn.completed');
    expect(await account()).toEqual({ settled: 0.02, reserved: 0 });
  });

  it('is refused with a plain 402 when the history alone is too expensive', async () => {
    await start('40');
    scripted.respondWith([text('y'.repeat(20_000)), usage(0, 1)]);
    const user = { bot_id: await chat.bot(), external_user_id: randomUUID() };
    expect((await chat.say({ ...user, message: 'x'.repeat(20_000) })).last.event).toBe('turn.completed');
    const refused = await chat.send({ ...user, message: 'x' });
    expect([refused.status, refused.error.code]).toEqual([402, 'INSUFFICIENT_BALANCE']);
    expect((await chat.say({ ...user, message: 'x', new_conversation: true })).last.event).toBe(
      'turn.completed',
    );
  });

  it('covers the completion check by the size of its own request', async () => {
    await start('22');
    // Each is affordable alone, but the check reads the goal and the reply again.
    const agent = playAgent(scripted, [[text('x'.repeat(9_000)), usage(0, 1)]], [complete]);
    const conversationId = await startRun(service, await makeAgent(service), { payload: 'y'.repeat(8_000) });
    expect(await endOfRun(service, conversationId)).toMatchObject({
      status: 'failed',
      run: { error: { code: 'INSUFFICIENT_BALANCE' } },
    });
    expect(agent.checks()).toEqual([]);
    expect(await account()).toEqual({ settled: 0.01, reserved: 0 });
  });
});

describe('a reply', () => {
  it('is as long as the model can make it while there is enough', async () => {
    await start('10000');
    scripted.respondWith([text('Yes.')]);
    await chat.say({ bot_id: await chat.bot() });
    expect(maxTokens(scripted.requests[0])).toBe(16_384);
  });

  it('is capped by what is left, instead of refused or overspent', async () => {
    await start('15');
    scripted.respondWith((request) => [
      text('Yes.'),
      usage(inputTokensOf(request), maxTokens(request)),
      finish('length'),
    ]);
    const bot = await chat.bot();
    expect((await chat.say({ bot_id: bot })).last.event).toBe('turn.completed');
    expect(maxTokens(scripted.requests[0])).toBeGreaterThan(1_000);
    expect(maxTokens(scripted.requests[0])).toBeLessThan(1_500);
    const { settled, reserved } = await account();
    expect(reserved).toBe(0);
    expect(settled).toBeGreaterThan(14);
    expect(settled).toBeLessThanOrEqual(15);
    expect((await chat.send({ bot_id: bot })).status).toBe(402);
  });

  it('is capped in every step of a turn, the check of a run among them', async () => {
    await start('30');
    const agentId = await makeAgent(service);
    await assignTools(service.call, agentId, [{ tool_type: 'calculator' }]);
    let replies = 0;
    scripted.respondWith((request) => {
      if (isCheck(request)) return [text(JSON.stringify(complete)), usage(0, 10)];
      replies += 1;
      return replies === 1
        ? [toolCall('calculator', { expression: '1' }), usage(0, 600)]
        : [text('1'), usage(0, 600)];
    });
    const over = await endOfRun(service, await startRun(service, agentId));
    expect(over.status).toBe('completed');
    const caps = scripted.requests.map(maxTokens);
    expect(caps).toHaveLength(3);
    expect(caps).toEqual(caps.toSorted((one, other) => other - one));
    expect(caps[0]).toBeLessThan(3_000);
    expect(await account()).toEqual({ settled: 12.1, reserved: 0 });
  });

  it('never reserves the whole of a balance that is enough for several', async () => {
    await start('1000', 'played');
    const bot = await chat.bot();
    const [one, other] = [await chat.send({ bot_id: bot }), await chat.send({ bot_id: bot })];
    const models = [await played.next(), await played.next()];
    for (const { body } of models) expect(Number(body['max_tokens'])).toBeGreaterThan(4_000);
    for (const model of models) model.finish({ input: 0, output: 1 });
    for (const reader of [one, other]) await reader?.until('turn.completed');
  });

  it('is not capped where there is no balance', async () => {
    await start(null);
    scripted.respondWith([text('Yes.')]);
    await chat.say({ bot_id: await chat.bot() });
    expect(scripted.requests[0]?.body).not.toHaveProperty('max_tokens');
  });
});

describe('a provider that fails after the request was sent', () => {
  const thinking = 'Let me think about this.';

  it('is paid for every attempt', async () => {
    await start('1000');
    scripted.enqueue([reasoning(thinking), cut], [text('Yes.'), usage(7, 3)]);
    const turn = await chat.say({ bot_id: await chat.bot() });
    expect(turn.text).toBe('Yes.');
    const [request] = scripted.requests;
    if (!request) throw new Error('The model was not asked.');
    expect(await recordedIn(service.database, service.id)).toMatchObject([
      { input: inputTokensOf(request), output: outputTokensOf(thinking), turn: turn.turnId },
      { input: 7, output: 3, turn: turn.turnId },
    ]);
    const cost = (inputTokensOf(request) + 7) / 1_000 + (outputTokensOf(thinking) + 3) / 100;
    expect(await account()).toEqual({ settled: expect.closeTo(cost, 9), reserved: 0 });
    expect(Number(turn.last.data.cost_usd)).toBeCloseTo(cost, 9);
  });

  it('is not asked again when there is no money for a retry', async () => {
    await start('6');
    scripted.enqueue([reasoning(thinking), cut], [text('Yes.'), usage(7, 3)]);
    const turn = await chat.say({ bot_id: await chat.bot() });
    expect(turn.last).toMatchObject({
      event: 'turn.failed',
      data: { error: { code: 'INSUFFICIENT_BALANCE' } },
    });
    expect(scripted.requests).toHaveLength(1);
    const { settled, reserved } = await account();
    expect(settled).toBeGreaterThan(0);
    expect([settled < 1, reserved]).toEqual([true, 0]);
  });
});

describe('what follows a turn', () => {
  it('a validation reserves its cost while it runs, and is capped', async () => {
    await start('40');
    const bot = await chat.bot({ enable_response_validation: true });
    await assignTools(service.call, bot, [{ tool_type: 'calculator' }]);
    judge(scripted, {
      replies: [
        [toolCall('calculator', { expression: '1' }), usage(0, 100)],
        [text('1.'), usage(0, 100)],
      ],
      verdicts: [[text('{"unsupported_claims": []}'), usage(0, 50)]],
    });
    await chat.say({ bot_id: bot });
    await eventually(account).toEqual({ settled: 2.5, reserved: 0 });
    expect(maxTokens(scripted.requests.at(-1))).toBeLessThan(4_000);
  });

  it('a validation that cannot be paid for is not requested', async () => {
    await start('12');
    const bot = await chat.bot({ enable_response_validation: true });
    await assignTools(service.call, bot, [{ tool_type: 'calculator' }]);
    judge(scripted, {
      replies: [
        [toolCall('calculator', { expression: '1' }), usage(0, 200)],
        [text('1.'), usage(0, 500)],
      ],
    });
    await chat.say({ bot_id: bot });
    const found = () =>
      service.database.acrossWorkspaces.execute(
        sql`select validation from quality_records where workspace_id = ${service.id}::uuid`,
      );
    await eventually(async () => (await found()).rows).toEqual([{ validation: 'failed' }]);
    expect(scripted.requests).toHaveLength(2);
    expect(await account()).toEqual({ settled: 7, reserved: 0 });
  });
});
