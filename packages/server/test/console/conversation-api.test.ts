import { randomUUID } from 'node:crypto';
import type { Branch } from '@svc/contract/branches';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { hang, status, text, toolCall, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { endOfRun, incomplete, isCheck, makeAgent, startRun } from '../support/agents.ts';
import { makeAskingBot, pauseTurn } from '../support/asking-bot.ts';
import { chatWith, type SaidTurn, scriptedEnvironment, turnOf } from '../support/chat.ts';
import { type Member, makeMember } from '../support/members.ts';
import { judge, score } from '../support/quality.ts';
import { openSse } from '../support/sse-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;
let viewer: Member;
let operator: Member;
let owner: Member;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  const prices = '{"openai/gpt-4o":{"input":2.5,"cached_input":1.25,"output":10}}';
  service = await startTestApp({
    environment: { ...scriptedEnvironment(scripted), SVC_MODEL_PRICES: prices },
  });
  viewer = await makeMember(service, { role: 'viewer' });
  operator = await makeMember(service, { role: 'operator', name: 'Grace Hopper' });
  owner = await makeMember(service, { role: 'owner' });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const read = async (id: string, by = operator, query = '') =>
  (await by.call(`GET /api/console/conversations/${id}${query}`)).body;
const trace = async (id: string, query = '', by = operator) =>
  (await by.call(`GET /api/console/conversations/${id}/trace${query}`)).body;

/** A bot that can calculate. */
async function makeCalculatingBot(fields: object = {}): Promise<string> {
  const bot = await chat.bot(fields);
  const assignments = [{ tool_type: 'calculator' }];
  await service.call('POST /api/v1/tools/assign', { body: { bot_id: bot, assignments } });
  return bot;
}

const calculation = [
  [toolCall('calculator', { expression: '6*7' }), usage(100, 10)],
  [text('It is 42.'), usage(200, 20)],
] as const;

it('tells what each reply, turn and conversation cost, and how its calls went', async () => {
  scripted.enqueue(...calculation);
  const { conversationId, turnId } = await chat.say({ bot_id: await makeCalculatingBot(), message: '6*7?' });
  const found = await read(conversationId);
  const log = await chat.log(conversationId);
  expect(found).toMatchObject({
    last_event_id: log.at(-1)?.id,
    bot: { name: 'Bot', bot_type: 'chatbot', is_inactive: false, is_traced: false },
    cost_usd: '0.00105',
    usage: { input_tokens: 300, output_tokens: 30 },
    turns: [{ id: turnId, status: 'completed', error: null, model: 'openai/gpt-4o', cost_usd: '0.00105' }],
    calls: [{ turn_id: turnId, name: 'calculator', status: 'ok', duration_ms: expect.any(Number) }],
    approvals: [],
  });
  expect(found.messages).toMatchObject([
    { role: 'user', turn_id: turnId, model: null, usage: null, cost_usd: null },
    {
      role: 'assistant',
      model: 'openai/gpt-4o',
      usage: { input_tokens: 100, output_tokens: 10 },
      cost_usd: '0.00035',
    },
    { role: 'tool', cost_usd: null },
    {
      role: 'assistant',
      content: 'It is 42.',
      usage: { input_tokens: 200, output_tokens: 20 },
      cost_usd: '0.0007',
    },
  ]);
});

it('leaves out turns whose messages were removed, but not what they cost', async () => {
  const user = { bot_id: await chat.bot(), external_user_id: 'truncated' };
  scripted.enqueue([text('One.'), usage(100, 10)], [text('Two.'), usage(100, 10)]);
  const { conversationId, turnId, messageId } = await chat.say(user);
  await chat.say(user);
  const body = { message_id: messageId };
  await service.call(`POST /api/v1/conversations/${conversationId}/truncate`, { body });
  const found = await read(conversationId);
  expect(found.turns.map(({ id }: { id: string }) => id)).toEqual([turnId]);
  expect(found.cost_usd).toBe('0.0007');
});

it('shows the steps of a turn with their costs, whether it was traced or not', async () => {
  const types = [];
  for (const isTraced of [false, true]) {
    scripted.enqueue(...calculation);
    const bot = await makeCalculatingBot({ enable_agent_tracing: isTraced });
    const { conversationId, turnId } = await chat.say({ bot_id: bot, message: '6*7?' });
    const found = await trace(conversationId);
    expect(found).toMatchObject({ turn_id: turnId, source: isTraced ? 'trace' : 'events' });
    expect(found.steps).toMatchObject([
      { type: 'model', name: 'openai/gpt-4o', usage: { input_tokens: 100 }, cost_usd: '0.00035' },
      { type: 'tool', name: 'calculator', input: { expression: '6*7' }, cost_usd: null },
      { type: 'model', output: { text: 'It is 42.' }, cost_usd: '0.0007' },
    ]);
    expect(found.steps.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
    expect(await trace(conversationId, `?turn_id=${turnId}`)).toEqual(found);
    types.push((await trace(conversationId, `?turn_id=${randomUUID()}`)).code);
  }
  expect(types).toEqual(['NOT_FOUND', 'NOT_FOUND']);
});

it('tells replies apart that used the same tokens at the same time', async () => {
  for (const isTraced of [false, true]) {
    scripted.enqueue([calculation[0][0], usage(100, 10)], [text('It is 42.'), usage(100, 10)]);
    const bot = await makeCalculatingBot({ enable_agent_tracing: isTraced });
    const { conversationId } = await chat.say({ bot_id: bot, message: '6*7?' });
    const run = (statement: ReturnType<typeof sql>) => service.database.acrossWorkspaces.execute(statement);
    const now = new Date().toISOString();
    await run(sql`update events set created_at = ${now} where conversation_id = ${conversationId}`);
    await run(sql`update usage_records set created_at = ${now} where conversation_id = ${conversationId}`);
    // The price has changed between the two.
    await run(sql`update usage_records set cost_usd = 0.5 where id =
      (select id from usage_records where conversation_id = ${conversationId} order by id limit 1)`);
    const costs = ({ role, type, usage: used, cost_usd }: Record<string, unknown>) =>
      role === 'assistant' || type === 'model' ? [[used, cost_usd]] : [];
    const used = { input_tokens: 100, cached_input_tokens: 0, output_tokens: 10 };
    const each = [
      [used, '0.5'],
      [used, '0.00035'],
    ];
    expect((await read(conversationId)).messages.flatMap(costs)).toEqual(each);
    expect((await trace(conversationId)).steps.flatMap(costs)).toEqual(each);
  }
});

it('counts usage from before messages were recorded with it for the turn only', async () => {
  scripted.enqueue([text('Hello.'), usage(100, 10)]);
  const { conversationId } = await chat.say({ bot_id: await chat.bot({ enable_agent_tracing: true }) });
  await service.database.acrossWorkspaces.execute(sql`
    update usage_records set message_id = null, trace_step_id = null where conversation_id = ${conversationId}`);
  const { cost_usd, turns, messages } = await read(conversationId);
  expect([cost_usd, turns[0].cost_usd, messages[1].cost_usd]).toEqual(['0.00035', '0.00035', null]);
  expect((await trace(conversationId)).steps).toMatchObject([
    { type: 'model', usage: { input_tokens: 100 }, cost_usd: null },
  ]);
});

it('shows what grades and validations cost', async () => {
  judge(scripted, {
    replies: [...calculation],
    grades: [[text('{"score":0.9}'), usage(200, 20)]],
    verdicts: [[text('{"unsupported_claims":[]}'), usage(400, 40)]],
  });
  const judged = { enable_confidence_scoring: true, enable_response_validation: true };
  const bot = await makeCalculatingBot({ ...judged, enable_agent_tracing: true });
  const { conversationId } = await chat.say({ bot_id: bot, message: '6*7?' });
  await expect
    .poll(async () => (await trace(conversationId)).steps)
    .toMatchObject([
      { type: 'model', cost_usd: '0.00035' },
      { type: 'tool', cost_usd: null },
      { type: 'model', cost_usd: '0.0007' },
      { type: 'confidence', cost_usd: '0.0007' },
      { type: 'validation', cost_usd: '0.0014' },
    ]);
  const { cost_usd, messages } = await read(conversationId);
  expect([cost_usd, messages[1].cost_usd, messages[3].cost_usd]).toEqual(['0.00315', '0.00035', '0.0014']);
});

it('shows what the checks of a run cost, even if there is no verdict', async () => {
  for (const isTraced of [false, true]) {
    const checks = [JSON.stringify(incomplete('the moon')), 'No idea.'];
    scripted.respondWith((request) =>
      isCheck(request)
        ? [text((checks.length > 1 ? checks.shift() : checks[0]) ?? ''), usage(200, 20)]
        : [text('All counted.'), usage(100, 10)],
    );
    const id = await startRun(service, await makeAgent(service, { enable_agent_tracing: isTraced }));
    await endOfRun(service, id);
    const { steps } = await trace(id);
    expect(steps).toMatchObject([
      { type: 'model', cost_usd: '0.00035' },
      { type: isTraced ? 'goal_completion_check' : 'model', cost_usd: '0.0007' },
      { type: 'model', cost_usd: '0.00035' },
      { type: isTraced ? 'goal_completion_check' : 'model', status: 'error', cost_usd: expect.any(String) },
    ]);
    const sum = steps.reduce((total: number, step: { cost_usd: string }) => total + Number(step.cost_usd), 0);
    expect(sum).toBeCloseTo(Number((await read(id)).cost_usd), 6);
  }
});

it('names the person who answered an approval, and what they changed', async () => {
  const bot = await makeAskingBot(service, {});
  const { conversationId, approvalId } = await pauseTurn(service, scripted, bot);
  expect(await read(conversationId)).toMatchObject({
    status: 'paused',
    turns: [{ status: 'paused', ended_at: null }],
    approvals: [{ id: approvalId, status: 'pending', resolved_by: null }],
    calls: [{ name: 'announce', status: 'proposed', duration_ms: null }],
  });
  await operator.call(`POST /api/v1/hitl/${approvalId}/respond`, {
    body: { action: 'approve_edited', edited_args: { title: 'Another' } },
  });
  await expect.poll(async () => (await read(conversationId)).status).toBe('idle');
  expect((await read(conversationId)).approvals).toMatchObject([
    { status: 'approved_edited', edited_arguments: { title: 'Another' }, resolved_by_name: 'Grace Hopper' },
  ]);
  const { steps } = await trace(conversationId);
  expect(steps.map(({ type }: { type: string }) => type)).toEqual(['model', 'approval', 'tool', 'model']);
});

it('shows withheld replies and findings to operators only', async () => {
  judge(scripted, { replies: [[text('It is surely blue.')]], grades: [score(0.1)] });
  const bot = await chat.bot({ enable_confidence_scoring: true, enable_agent_tracing: true });
  const { conversationId, text: sent } = await chat.say({ bot_id: bot, message: 'Which color?' });
  expect(sent).not.toContain('blue');
  const [, reply] = (await read(conversationId)).messages;
  expect(reply).toMatchObject({ content: sent, withheld: { text: 'It is surely blue.', score: 0.1 } });
  expect(JSON.stringify(await read(conversationId, viewer))).not.toContain('blue');
  const grading = (steps: { type: string }[]) => steps.find(({ type }) => type === 'confidence');
  expect(grading((await trace(conversationId)).steps)).toMatchObject({
    output: { score: 0.1, refused: true },
  });
  expect(grading((await trace(conversationId, '', viewer)).steps)).toMatchObject({
    output: null,
    cost_usd: null,
  });
});

it('previews a truncation without removing anything', async () => {
  const bot = await chat.bot();
  const body = { bot_id: bot, assignments: [{ tool_type: 'handoff' }] };
  await service.call('POST /api/v1/tools/assign', { body });
  const user = { bot_id: bot, external_user_id: randomUUID() };
  scripted.enqueue([text('Hello.')], [toolCall('handoff', { reason: 'x' })], [text('Somebody comes.')]);
  const { conversationId: id, messageId } = await chat.say({ ...user, message: 'Hi' });
  await chat.say({ ...user, message: 'A person, please' });
  const place = `/api/v1/conversations/${id}`;
  const preview = await viewer.call(`GET ${place}/truncate-preview?message_id=${messageId}`);
  expect(preview.body).toMatchObject({ removed_messages: 4, cancelled_approvals: 0 });
  expect((await read(id)).messages).toHaveLength(6);
  const { body: done } = await operator.call(`POST ${place}/truncate`, { body: { message_id: messageId } });
  expect({ ...done, message: '' }).toEqual({ ...preview.body, message: '' });
  const gone = await viewer.call(`GET ${place}/truncate-preview?message_id=${randomUUID()}`);
  expect(gone).toMatchObject({ status: 404 });
});

it('neither lists nor counts tests of drafts, whose streams end with the role of the tester', async () => {
  const { id, cookie, workspaceId, call } = await makeMember(service, { role: 'operator' });
  const bot = await chat.bot();
  const draft = (await call(`POST /api/console/bots/${bot}/drafts`, { body: { fields: {} } })).body.version;
  const test = () =>
    openSse(`${service.url}/api/console/bots/${bot}/test`, {
      method: 'POST',
      headers: { cookie, origin: service.url, 'x-svc-workspace': workspaceId },
      body: { message: 'hello', draft },
    });
  const overview = async () => {
    const { today, running_count, failed_count } = (await call('GET /api/console/overview')).body;
    return [today.conversations, running_count, failed_count];
  };
  const before = await overview();
  scripted.enqueue([status(400)]);
  expect((await (await test()).ended()).events.at(-1)?.event).toBe('turn.failed');
  scripted.enqueue([hang]);
  const stream = await test();
  const { data: started } = await stream.until(({ event }) => event === 'turn.started');
  expect(await overview()).toEqual(before);
  expect((await call(`GET /api/console/conversations?bot_id=${bot}`)).body).toEqual([]);

  await owner.call(`PATCH /api/console/members/${id}`, { body: { role: 'viewer' } });
  expect((await stream.ended()).events.at(-1)?.event).not.toMatch(/^turn\.(completed|failed|interrupted)$/);
  const place = { conversation_id: started.conversation_id };
  expect((await service.call('POST /api/v1/chat/stop', { body: place })).status).toBe(200);
});

it('shows a conversation in the overview while it is answered, in its own workspace only', async () => {
  const { id: workspaceId } = await service.makeWorkspace();
  const stranger = await makeMember(service, { role: 'owner', workspaceId });
  scripted.enqueue([hang]);
  const stream = await chat.send({ bot_id: await chat.bot({ name: 'Slow' }), external_user_id: 'ada' });
  const { conversation_id } = (await stream.until('turn.started')).data;
  const running = async (by: Member) => (await by.call('GET /api/console/overview')).body.running;
  expect(await running(viewer)).toMatchObject([{ kind: 'turn', conversation_id, bot_name: 'Slow' }]);
  expect(await running(stranger)).toEqual([]);
  await service.call('POST /api/v1/chat/stop', { body: { conversation_id } });
  await stream.ended();
  expect(await running(viewer)).toEqual([]);
});

it('deletes a conversation for owners and keys, even while it waits', async () => {
  const bot = await makeAskingBot(service, {});
  const { conversationId: id } = await pauseTurn(service, scripted, bot);
  const remove = `DELETE /api/v1/conversations/${id}`;
  expect(await operator.call(remove)).toMatchObject({ status: 403 });
  expect(await owner.call(remove)).toMatchObject({ status: 200 });
  expect(await owner.call(remove)).toMatchObject({ status: 404 });
  expect(await owner.call(`GET /api/console/conversations/${id}`)).toMatchObject({ status: 404 });
  expect((await service.call(`GET /api/v1/hitl?status=resolved&bot_id=${bot}`)).body).toEqual([]);
  // Takes what the model would have said after the approval.
  expect(await chat.say({ bot_id: bot })).toMatchObject({ text: 'Done.' });
});

describe('a branch that is put aside', () => {
  /** Has a message answered again, or edits it. */
  async function branch(path: string, body?: object): Promise<SaidTurn> {
    const address = `${service.url}/api/v1/conversations/${path}`;
    const reader = await openSse(address, { method: 'POST', key: service.key, ...(body && { body }) });
    return turnOf((await reader.ended()).events);
  }

  /** The messages of a conversation as they are with a branch, named by the turn that begins it. */
  async function lineOf(id: string, { userMessageId }: SaidTurn): Promise<string[]> {
    const branches = (await service.call(`GET /api/v1/conversations/${id}/branches`)).body;
    const found = branches.find((one: Branch) => one.first_message_id === userMessageId);
    const { messages } = await read(id, viewer, `?branch_id=${found?.id}`);
    return messages.map(({ content }: { content: string }) => content);
  }

  it('is read as it was, and nothing changes by that', async () => {
    scripted.enqueue(...['1', '2', '2b', 'eins', 'drei'].map((reply) => [text(reply)]));
    const user = { bot_id: await chat.bot(), external_user_id: randomUUID() };
    const one = await chat.say({ ...user, message: 'one' });
    const two = await chat.say({ ...user, message: 'two' });
    const id = one.conversationId;
    const again = await branch(`${id}/messages/${two.messageId}/regenerate`);
    const edited = await branch(`${id}/messages/${one.userMessageId}/edit`, { content: 'edited' });
    await chat.say({ ...user, message: 'three' });
    const before = await read(id);

    expect(await lineOf(id, one)).toEqual(['one', '1', 'two', '2b']);
    // It follows a message that is put aside, too.
    expect(await lineOf(id, two)).toEqual(['one', '1', 'two', '2']);
    expect(await lineOf(id, again)).toEqual(['one', '1', 'two', '2b']);
    expect(await lineOf(id, edited)).toEqual(['edited', 'eins', 'three', 'drei']);
    const old = before.branches.find((known: Branch) => known.first_message_id === two.userMessageId);
    const { turns, messages } = await read(id, viewer, `?branch_id=${old.id}`);
    expect(turns.map((turn: { id: string }) => turn.id)).toEqual([one.turnId, two.turnId]);
    expect(messages.at(-1)).toMatchObject({ id: two.messageId, turn_id: two.turnId, model: 'openai/gpt-4o' });
    expect(await read(id)).toEqual(before);
  });

  it('is not found in other conversations and workspaces', async () => {
    scripted.enqueue(...['1', '2', '3'].map((reply) => [text(reply)]));
    const botId = await chat.bot();
    const { conversationId: id, messageId } = await chat.say({ bot_id: botId });
    await branch(`${id}/messages/${messageId}/regenerate`);
    const { conversationId: elsewhere } = await chat.say({ bot_id: botId });
    const [first] = (await service.call(`GET /api/v1/conversations/${id}/branches`)).body;
    const { id: workspaceId } = await service.makeWorkspace();
    const stranger = await makeMember(service, { role: 'owner', workspaceId });
    const statusOf = async (by: Member, conversation: string, branchId: string) =>
      (await by.call(`GET /api/console/conversations/${conversation}?branch_id=${branchId}`)).status;
    expect(await statusOf(viewer, id, first.id)).toBe(200);
    expect(await statusOf(viewer, elsewhere, first.id)).toBe(404);
    expect(await statusOf(viewer, id, randomUUID())).toBe(404);
    expect(await statusOf(stranger, id, first.id)).toBe(404);
  });
});
