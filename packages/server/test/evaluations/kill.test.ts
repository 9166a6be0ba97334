import { afterAll, beforeAll, expect, it } from 'vitest';
import { hang, type Script, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy } from '../support/chat.ts';
import { asksForJudgement, evaluating, judged, lastSaid } from '../support/evaluating.ts';
import { type Lock, lockRow } from '../support/faults/locks.ts';
import { createFleet, key, makeBot } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import type { ServiceProcess } from '../support/service-process.ts';

/** Killed during a reply, the admission of the next turn, a judgement, and the write of its result. */
const fleet = createFleet();
let model: ScriptedModel;
let service: ServiceProcess;
/** Requests that hang the first time. */
const hangsOnce = new Set(['a1', 'judge b1']);
/** How often each was requested. */
const asked = new Map<string, number>();

beforeAll(async () => {
  model = await startScriptedModel();
  model.respondWith((request) => {
    const isResult = askedBy(request).at(-1)?.role === 'tool';
    const what = `${asksForJudgement(request) ? 'judge ' : ''}${wordOf(lastSaid(request))}${isResult ? ' result' : ''}`;
    asked.set(what, (asked.get(what) ?? 0) + 1);
    if (hangsOnce.delete(what)) return [hang];
    if (what.startsWith('judge')) return judged({ number: 1, holds: true });
    const call: Script = [toolCall('look', {})];
    return what === 'a1' ? call : [text(`Re: ${what}`)];
  });
  await start();
});

afterAll(async () => {
  await fleet.end();
  await model.close();
});

/** The first user message of a request; a request to the judge holds the whole conversation. */
function wordOf(said: string): string {
  return /\b[abc][12]\b/.exec(said)?.[0] ?? said;
}

async function start(): Promise<void> {
  service = await fleet.start({ OPENAI_BASE_URL: model.url('openai') });
}

const lockCase = async (name: string): Promise<Lock> =>
  lockRow(await fleet.connection(), 'evaluation_cases', `scenario ->> 'name' = '${name}'`);

async function killAndRestart(locked: Lock): Promise<void> {
  await service.end('SIGKILL');
  // Otherwise PostgreSQL would still commit the write of the dead process.
  await locked.abort();
  await start();
}

it('continues after kill -9 at any point, and counts no scenario twice', async () => {
  const call = () => service.call(key);
  const { scenario, start: begin, report, read } = evaluating(() => ({ call: call() }));
  const botId = await makeBot(service);
  const tool = { tool_type: 'http_request', name: 'look', description: 'x' };
  const configuration = {
    method: 'POST',
    url: 'http://127.0.0.1:9/never',
    parameters: { type: 'object', properties: {} },
  };
  const toolId = (await call()('POST /api/v1/tools', { body: { ...tool, configuration } })).body.id;
  const assignments = [{ tool_type: 'http_request', tool_configuration_id: toolId }];
  await call()('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
  await scenario(botId, {
    name: 'a',
    turns: ['a1', 'a2'],
    must_call: ['look'],
    stand_ins: [{ function: 'look', result: 'A view.' }],
  });
  await scenario(botId, { name: 'b', turns: ['b1'], expected_facts: ['x'] });
  await scenario(botId, { name: 'c', turns: ['c1', 'c2'] });

  const id = await begin(botId);
  await until('the first reply is asked for', () => asked.get('a1') === 1);
  // Locked before the restart: the second turn's admission is the next write to it.
  await service.end('SIGKILL');
  const second = await lockCase('a');
  await start();
  await second.blocks();
  expect(asked.get('a1 result')).toBe(1);
  expect(asked.get('a2')).toBeUndefined();
  await killAndRestart(second);

  await until('a judgement is asked for', () => asked.get('judge b1') === 1);
  expect((await read(botId, id)).counts).toMatchObject({ passed: 1, pending: 2 });
  await service.end('SIGKILL');
  const outcome = await lockCase('b');
  await start();
  await until('it is judged again', () => asked.get('judge b1') === 2);
  await outcome.blocks();
  await killAndRestart(outcome);

  const over = await report(botId, id);
  expect(over).toMatchObject({
    status: 'completed',
    counts: { total: 3, passed: 3, failed: 0, error: 0, skipped: 0, pending: 0 },
  });
  const said = over.cases.map(({ transcript }: { transcript: { role: string; content: string }[] }) =>
    transcript.map(({ role, content }) => `${role}: ${content}`),
  );
  expect(said).toEqual([
    ['user: a1', 'assistant: ', 'tool: A view.', 'assistant: Re: a1 result', 'user: a2', 'assistant: Re: a2'],
    ['user: b1', 'assistant: Re: b1'],
    ['user: c1', 'assistant: Re: c1', 'user: c2', 'assistant: Re: c2'],
  ]);
  // Only what a kill cut off was requested again; every answer counts ten input tokens.
  expect(Object.fromEntries(asked)).toEqual({
    a1: 2,
    'a1 result': 1,
    a2: 1,
    b1: 1,
    'judge b1': 3,
    c1: 1,
    c2: 1,
  });
  expect(over.usage.input_tokens).toBe(80);
});
