import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { hang, text } from '../scripted-model/script.ts';
import { askedBy, eventually } from '../support/chat.ts';
import { judged, lastSaid, playBot } from '../support/evaluating.ts';
import { useEvaluations } from './use-evaluations.ts';

const setup = useEvaluations();
let botId: string;
const { chat, scenario, start, report, evaluate, read } = setup;
beforeEach(async () => {
  botId = await chat.bot();
});

const path = (rest = '') => `/api/v1/bots/${botId}/evaluations${rest}`;
const post = (options: object = {}) => setup.service.call(`POST ${path()}`, options);
const list = async (query = '') => setup.service.call(`GET ${path(query)}`);

describe('an evaluation', () => {
  it('is compared, case by case, with the last decided result of each scenario', async () => {
    const names = ['stays', 'breaks', 'heals', 'fails'];
    const ids: Record<string, string> = {};
    for (const name of names)
      ids[name] = await scenario(botId, { name, turns: [name], expected_facts: ['x'] });
    const failing = (...bad: string[]) =>
      playBot(setup.scripted, {
        judge: (request) =>
          judged({ number: 1, holds: !bad.some((name) => askedBy(request)[1]?.content.includes(name)) }),
      });

    failing('heals', 'fails');
    const first = await evaluate(botId);
    expect(first.comparison).toEqual({
      newly_failing: [],
      newly_passing: [],
      still_failing: [],
      new: names.map((name) => ids[name]),
      unchanged: [],
    });
    expect(first.cases.every((one: { previous: null }) => one.previous === null)).toBe(true);

    // A partial evaluation between two whole ones: the next is compared with its outcomes where it has any.
    failing('fails', 'stays');
    const part = await evaluate(botId, { scenario_ids: [ids['stays']] });
    expect(part.counts).toMatchObject({ total: 1, failed: 1 });
    expect(part.comparison).toMatchObject({ newly_failing: [ids['stays']] });

    ids['late'] = await scenario(botId, { name: 'late', turns: ['late'] });
    failing('fails', 'breaks', 'stays');
    await setup.service.call(`PUT /api/v1/bots/${botId}`, { body: { description: 'changed' } });
    const last = await evaluate(botId);
    expect(last.comparison).toEqual({
      newly_failing: [ids['breaks']],
      newly_passing: [ids['heals']],
      still_failing: [ids['stays'], ids['fails']],
      new: [ids['late']],
      unchanged: [],
    });
    const byName = Object.fromEntries(last.cases.map((one: { name: string }) => [one.name, one]));
    expect(byName['stays']).toMatchObject({
      change: 'still_failing',
      previous: { evaluation_id: part.id, version: 1, status: 'failed' },
    });
    expect(byName['breaks']).toMatchObject({
      change: 'newly_failing',
      previous: { evaluation_id: first.id, version: 1, status: 'passed' },
    });
    expect(last.version).toBe(2);
    // The comparison of an earlier evaluation does not change.
    expect((await read(botId, first.id)).comparison).toEqual(first.comparison);
  });

  it('is listed newest first, page by page, with its result', async () => {
    await scenario(botId, {});
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await evaluate(botId)).id);
    const first = await list('?limit=2');
    expect(first.body).toMatchObject([
      { id: ids[2], status: 'completed', counts: { total: 1, passed: 1 }, cost_usd: expect.any(String) },
      { id: ids[1] },
    ]);
    expect(first.body[0]).not.toHaveProperty('cases');
    const { search } = new URL(/<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '');
    const second = await list(search);
    expect(second.body).toMatchObject([{ id: ids[0] }]);
    expect(second.headers.get('link')).toBeNull();
    expect((await list('?limit=101')).status).toBe(400);
  });

  it('shows its progress, and only one runs at a time', async () => {
    for (const name of ['first', 'second', 'third']) await scenario(botId, { name, turns: [name] });
    playBot(setup.scripted, {
      reply: (request) => (lastSaid(request) === 'second' ? [hang] : [text('Yes.')]),
    });
    const id = await start(botId);
    await eventually(async () => (await read(botId, id)).counts).toMatchObject({ passed: 1, pending: 2 });
    await eventually(async () => (await read(botId, id)).cases[1].status).toBe('running');
    expect(await read(botId, id)).toMatchObject({
      status: 'running',
      ended_at: null,
      cases: [
        { status: 'passed', change: 'new' },
        { status: 'running', change: null, conversation_id: expect.any(String) },
        { status: 'pending', conversation_id: null, transcript: [] },
      ],
    });
    expect(await post()).toMatchObject({
      status: 409,
      body: { code: 'EVALUATION_IN_PROGRESS', details: [{ evaluation_id: id }] },
    });
    const other = await chat.bot();
    const answer = await setup.service.call(`POST /api/v1/bots/${other}/evaluations`);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('no scenarios') } });
    await setup.service.call(`POST ${path(`/${id}/stop`)}`);
  });

  it('starts once when many are requested concurrently', async () => {
    await scenario(botId, {});
    playBot(setup.scripted, { reply: () => [hang] });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post()));
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    await setup.service.call(`POST ${path(`/${accepted[0]?.body.id}/stop`)}`);
  });

  it('is stopped immediately: decided cases stay, the rest are skipped', async () => {
    for (const name of ['first', 'second', 'third']) await scenario(botId, { name, turns: [name, 'more'] });
    playBot(setup.scripted, {
      reply: (request) => (lastSaid(request) === 'second' ? [hang] : [text('Yes.')]),
    });
    const id = await start(botId);
    await eventually(() => setup.scripted.requests.some((one) => lastSaid(one) === 'second')).toBe(true);
    const stopped = await setup.service.call(`POST ${path(`/${id}/stop`)}`);
    expect(stopped).toMatchObject({ status: 200, body: { id, status: 'stopped' } });
    expect(await setup.scripted.requests.at(-1)?.closedEarly).toBe(true);
    const over = await read(botId, id);
    expect(over).toMatchObject({
      status: 'stopped',
      counts: { passed: 1, skipped: 2, pending: 0 },
      ended_at: expect.any(String),
      cases: [{ status: 'passed' }, { status: 'skipped', change: null }, { status: 'skipped' }],
    });
    const conversation = await setup.service.call(
      `GET /api/v1/conversations/${over.cases[1].conversation_id}`,
    );
    expect(conversation.body.status).toBe('idle');
    expect((await setup.service.call(`POST ${path(`/${id}/stop`)}`)).body).toEqual({ id, status: 'stopped' });

    // A skipped case has no outcome to compare with.
    playBot(setup.scripted);
    const next = await evaluate(botId);
    expect(next.comparison).toMatchObject({ unchanged: [over.cases[0].scenario_id] });
    expect(next.comparison.new).toHaveLength(2);
    expect((await setup.service.call(`POST ${path(`/${next.id}/stop`)}`)).body.status).toBe('completed');
  });

  it('runs on the version that was current when it began, whatever is saved meanwhile', async () => {
    await setup.service.call(`PUT /api/v1/bots/${botId}`, { body: { system_prompt: 'The old one.' } });
    await scenario(botId, { turns: ['first', 'second'] });
    let changed: Promise<unknown> | undefined;
    playBot(setup.scripted, {
      reply: () => {
        changed ??= setup.service.call(`PUT /api/v1/bots/${botId}`, {
          body: { system_prompt: 'The new one.' },
        });
        return [text('Yes.')];
      },
    });
    const over = await evaluate(botId);
    await changed;
    expect(over.version).toBe(2);
    expect(setup.scripted.requests.map((one) => askedBy(one)[0]?.content)).toEqual([
      'The old one.',
      'The old one.',
    ]);
    expect(await evaluate(botId)).toMatchObject({ version: 3 });
    expect(askedBy(setup.scripted.requests.at(-1))[0]?.content).toBe('The new one.');
    expect(await evaluate(botId, { version: 1 })).toMatchObject({ version: 1 });
    expect(askedBy(setup.scripted.requests.at(-1))[0]?.content).toBe('Be kind.');
  });

  it('keeps the scenario as it was, even if it is changed or deleted', async () => {
    const id = await scenario(botId, { name: 'Old name' });
    const over = await evaluate(botId);
    await setup.service.call(`DELETE /api/v1/bots/${botId}/scenarios/${id}`);
    expect((await read(botId, over.id)).cases).toMatchObject([{ scenario_id: id, name: 'Old name' }]);
  });

  it('acts once for an Idempotency-Key', async () => {
    await scenario(botId, {});
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = [await post({ headers }), await post({ headers })];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(first.body).toEqual(second.body);
    await report(botId, first.body.id);
    expect((await list()).body).toHaveLength(1);
  });
});

describe('an evaluation is refused', () => {
  it('for an unknown scenario or version, or an invalid body', async () => {
    const mine = await scenario(botId, {});
    const elsewhere = await scenario(await chat.bot(), {});
    for (const body of [
      { scenario_ids: [mine, randomUUID()] },
      { scenario_ids: [elsewhere] },
      { version: 2 },
    ]) {
      expect(await post({ body }), JSON.stringify(body)).toMatchObject({ status: 404 });
    }
    for (const body of [
      { scenario_ids: [] },
      { scenario_ids: [mine, mine] },
      { version: 0 },
      { surprise: 1 },
      'null',
    ]) {
      expect(await post({ body }), JSON.stringify(body)).toMatchObject({ status: 400 });
    }
    expect((await list()).body).toEqual([]);
    const left = await setup.service.call(`GET /api/v1/conversations?channel=evaluation&bot_id=${botId}`);
    expect(left.body).toEqual([]);
  });

  it('of a bot that is inactive, and on a version whose tools are gone', async () => {
    await scenario(botId, {});
    const tool = { tool_type: 'calculator', name: 'Sums', description: 'x', configuration: {} };
    const toolId = (await setup.service.call('POST /api/v1/tools', { body: tool })).body.id;
    const assignments = [{ tool_type: 'calculator', tool_configuration_id: toolId }];
    await setup.service.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
    await setup.service.call(`DELETE /api/v1/tools/${toolId}`);
    expect(await post({ body: { version: 2 } })).toMatchObject({
      status: 409,
      body: { code: 'VERSION_UNUSABLE', details: [{ path: 'tools.0.tool_configuration_id' }] },
    });
    await setup.service.call(`DELETE /api/v1/bots/${botId}`);
    expect(await post()).toMatchObject({ status: 409, body: { code: 'BOT_INACTIVE' } });
    expect((await list()).body).toEqual([]);
  });

  it('on the built-in model, when there are facts to be judged', async () => {
    const builtin = await chat.bot({ model: 'builtin/extractive' });
    const plain = await scenario(builtin, {});
    expect(await evaluate(builtin)).toMatchObject({ status: 'completed', counts: { passed: 1 } });
    await scenario(builtin, { expected_facts: ['x'] });
    const answer = await setup.service.call(`POST /api/v1/bots/${builtin}/evaluations`);
    expect(answer).toMatchObject({ status: 503, body: { code: 'NO_MODEL_CONFIGURED' } });
    expect(await evaluate(builtin, { scenario_ids: [plain] })).toMatchObject({ status: 'completed' });
  });
});
