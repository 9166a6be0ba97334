import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text, toolCall, toolCalls } from '../scripted-model/script.ts';
import { askedBy } from '../support/chat.ts';
import { lastSaid, playBot } from '../support/evaluating.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import { useEvaluations } from './use-evaluations.ts';

/** Every outbound request, including approval notices. */
const reached: string[] = [];
let outside: OutsideServer;
const setup = useEvaluations({ SVC_EGRESS_ALLOW: '127.0.0.1' });
let botId: string;
const { chat, scenario, evaluate } = setup;

beforeAll(async () => {
  outside = await startOutsideServer((request, response) => {
    reached.push(request.url ?? '');
    response.end('{"ok":true}');
  });
});
afterAll(() => outside.close());
beforeEach(async () => {
  reached.length = 0;
  botId = await chat.bot({ approval_notice: { webhook_url: `${outside.url}/notice` } });
  await assign([
    await makeTool('pay', 'POST', { approval: 'always' }),
    await makeTool('look', 'GET', {}),
    { tool_type: 'web_fetch' },
    { tool_type: 'handoff' },
    { tool_type: 'calculator' },
    { tool_type: 'current_time' },
  ]);
});

async function makeTool(name: string, method: string, more: object): Promise<object> {
  const parameters = { type: 'object', properties: { amount: { type: 'number' } } };
  const configuration = { method, url: `${outside.url}/${name}`, parameters, ...more };
  const body = { tool_type: 'http_request', name, description: name, configuration };
  const created = await setup.service.call('POST /api/v1/tools', { body });
  expect(created).toMatchObject({ status: 201 });
  return { tool_type: 'http_request', tool_configuration_id: created.body.id };
}

async function assign(assignments: object[]): Promise<void> {
  const answer = await setup.service.call('POST /api/v1/tools/assign', {
    body: { bot_id: botId, assignments },
  });
  expect(answer).toMatchObject({ status: 200 });
}

/** Calls what the user message names, once, then ends. */
function play(calls: Record<string, object[]>): void {
  playBot(setup.scripted, {
    reply: (request) => {
      if (askedBy(request).at(-1)?.role === 'tool') return [text('Done.')];
      const wanted = calls[lastSaid(request)] ?? [];
      return wanted.length > 0 ? [toolCalls(wanted as never)] : [text('Nothing to do.')];
    },
  });
}

const results = (one: { transcript: { role: string; content: string }[] }) =>
  one.transcript.filter(({ role }) => role === 'tool').map(({ content }) => content);

it('lets stand-ins answer, and runs no tool, approval or notice', async () => {
  await scenario(botId, {
    turns: ['pay', 'pay again'],
    must_call: ['pay', 'look'],
    stand_ins: [
      { function: 'pay', arguments: { amount: 1 }, result: { paid: true } },
      { function: 'pay', result: 'Too much.', is_error: true },
      { function: 'look', result: 'A view.' },
      { function: 'handoff', result: 'Somebody comes.' },
    ],
  });
  play({
    pay: [
      { name: 'pay', arguments: { amount: 1 } },
      { name: 'look', arguments: {} },
      { name: 'handoff', arguments: { reason: 'x' } },
    ],
    'pay again': [{ name: 'pay', arguments: { amount: 2 } }],
  });
  const { cases, status } = await evaluate(botId);
  expect({ status, passed: cases[0].status }).toEqual({ status: 'completed', passed: 'passed' });
  expect(results(cases[0]).toSorted()).toEqual(['A view.', 'Somebody comes.', 'Too much.', '{"paid":true}']);
  expect(reached).toEqual([]);
  const { rows } = await setup.service.database.acrossWorkspaces.execute(
    sql`select (select count(*) from approvals)::int as approvals,
      (select count(*) from conversations where handoff_requested_at is not null)::int as handoffs,
      (select count(*) from pgboss.job where name = 'approval-notices')::int as notices`,
  );
  expect(rows).toEqual([{ approvals: 0, handoffs: 0, notices: 0 }]);
});

it('tells the model when there is no stand-in, and runs only tools without side effects', async () => {
  await scenario(botId, {
    turns: ['all'],
    stand_ins: [{ function: 'look', arguments: { amount: 9 }, result: 1 }],
  });
  play({
    all: [
      { name: 'pay', arguments: { amount: 1 } },
      { name: 'look', arguments: { amount: 1 } },
      { name: 'web_fetch', arguments: { url: `${outside.url}/page` } },
      { name: 'handoff', arguments: { reason: 'x' } },
      { name: 'calculator', arguments: { expression: '6 * 7' } },
      { name: 'current_time', arguments: {} },
    ],
  });
  const { cases } = await evaluate(botId);
  const said = results(cases[0]);
  expect(said.filter((one) => one.includes('no result for this call'))).toHaveLength(4);
  expect(said.some((one) => one.includes('42'))).toBe(true);
  expect(said.some((one) => one.includes('UTC'))).toBe(true);
  expect(reached).toEqual([]);
});

it('works on no machine, and needs none', async () => {
  await assign([{ tool_type: 'coding' }]);
  await scenario(botId, {
    turns: ['code'],
    stand_ins: [{ function: 'run_command', arguments: { command: 'npm test' }, result: 'Exit code 0' }],
  });
  play({
    code: [
      { name: 'read_file', arguments: { path: 'a' } },
      { name: 'write_file', arguments: { path: 'a', content: 'x' } },
      { name: 'run_command', arguments: { command: 'npm test' } },
    ],
  });
  const { cases, status } = await evaluate(botId);
  expect(status).toBe('completed');
  expect(results(cases[0]).toSorted()).toEqual([
    'Exit code 0',
    expect.stringMatching(/read_file does not run/),
    expect.stringMatching(/write_file does not run/),
  ]);
});

it('shows the model the same functions as a chat does', async () => {
  await scenario(botId, {});
  play({});
  await evaluate(botId);
  const inEvaluation = setup.scripted.requests[0]?.body['tools'];
  await chat.say({ bot_id: botId, message: 'Hello' });
  expect(inEvaluation).toEqual(setup.scripted.requests.at(-1)?.body['tools']);
  expect((inEvaluation as object[]).length).toBe(6);
});

it('leaves the tools of chats with the same bot real meanwhile', async () => {
  await scenario(botId, { turns: ['look'], stand_ins: [{ function: 'look', result: 'stand-in' }] });
  play({ look: [{ name: 'look', arguments: {} }] });
  const [report, turn] = await Promise.all([
    evaluate(botId),
    chat.say({ bot_id: botId, message: 'look', new_conversation: true }),
  ]);
  expect(results(report.cases[0])).toEqual(['stand-in']);
  expect(turn.last.event).toBe('turn.completed');
  expect(reached).toEqual(['/look']);
});

it('uses the tools of the version that is evaluated', async () => {
  await assign([{ tool_type: 'calculator' }]);
  await scenario(botId, {
    turns: ['x'],
    must_call: ['look'],
    stand_ins: [{ function: 'look', result: 'seen' }],
  });
  playBot(setup.scripted, {
    reply: (request) => (askedBy(request).at(-1)?.role === 'tool' ? [text('Done.')] : [toolCall('look', {})]),
  });
  expect(await evaluate(botId)).toMatchObject({ version: 3, cases: [{ status: 'failed' }] });
  expect(await evaluate(botId, { version: 2 })).toMatchObject({ version: 2, cases: [{ status: 'passed' }] });
});

it('ends a turn at the step limit of the version that is evaluated', async () => {
  await setup.service.call(`PUT /api/v1/bots/${botId}`, { body: { max_steps: 2 } });
  await scenario(botId, { turns: ['x'], stand_ins: [{ function: 'look', result: 'seen' }] });
  playBot(setup.scripted, {
    reply: ({ body }) => (body['tools'] ? [toolCall('look', {})] : [text('That is all I know.')]),
  });
  const report = await evaluate(botId);
  expect(report).toMatchObject({ status: 'completed', cases: [{ status: 'passed' }] });
  expect(results(report.cases[0])).toEqual(['seen']);
  expect(report.cases[0].transcript.at(-1).content).toBe('That is all I know.');
  expect(setup.scripted.requests).toHaveLength(2);
});

it('hides the errors of stand-ins where the tool hides its own', async () => {
  await assign([{ ...(await makeTool('find', 'GET', {})), tool_error_handling_mode: 'hide' }]);
  const standIn = { function: 'find', result: 'Status 503 from storehouse', is_error: true };
  await scenario(botId, { turns: ['find'], stand_ins: [standIn] });
  play({ find: [{ name: 'find', arguments: {} }] });
  const report = await evaluate(botId);
  expect(results(report.cases[0])).toEqual(['The tool failed.']);
  expect(JSON.stringify(setup.scripted.requests)).not.toContain('storehouse');
});
