import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { type Script, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/faults/proxy.ts';
import { conversationOf, createFleet, key, readStored } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import { assignTools, isGrading, recordsOf } from '../support/quality.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const fleet = createFleet();
let store: TestDatabase;
let proxy: DatabaseProxy;
let model: ScriptedModel;
let service: ServiceProcess;
beforeAll(async () => {
  store = await createTestDatabase();
  proxy = await startDatabaseProxy(store);
  model = await startScriptedModel();
  service = await fleet.start({ ...proxy.environment, OPENAI_BASE_URL: model.url('openai') });
});
afterAll(async () => {
  await fleet.end();
  await proxy.close();
  await model.close();
  await store.drop();
});

it('a reply, its grade and its validation are written once when the response to their commit is lost', async () => {
  const settings = { enable_confidence_scoring: true, enable_response_validation: true };
  const body = { name: 'Watched', system_prompt: 'x', ...settings };
  const bot = (await service.call(key)('POST /api/v1/bots', { body })).body.id;
  await assignTools(service.call(key), bot, [{ tool_type: 'calculator' }]);
  const slowly: Script = [{ type: 'delay', milliseconds: 2_000 }, text('{"score": 0.9}')];
  model.respondWith((request) => {
    if (isGrading(request.body)) return slowly;
    return JSON.stringify(request.body).includes('"role":"tool"')
      ? [text('It is 42.')]
      : [toolCall('calculator', { expression: '6 * 7' })];
  });
  const stream = fleet.send(service, { message: 'now', bot_id: bot, new_conversation: true });
  const conversationId = await conversationOf(stream);
  await until('a grade is asked for', () => model.requests.some((one) => isGrading(one.body)));
  const trap = proxy.loseAnswerTo('commit');
  await trap.sent;
  const records = () => recordsOf(store.database, conversationId);
  await until('the reply is written', async () => (await records()).length === 1);
  proxy.breakLost();
  await stream.closed;
  expect(stream.events.at(-1)?.event, stream.body()).toBe('turn.completed');

  const { messages, status } = await readStored(service, conversationId);
  expect(status).toBe('idle');
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(await records()).toMatchObject([{ score: 0.9, message_id: messages.at(-1)?.id }]);
  const { rows } = await store.database.acrossWorkspaces.execute(
    sql`select 1 from pgboss.job where name = 'response-validation'`,
  );
  expect(rows).toHaveLength(1);
  expect(model.requests.filter((one) => isGrading(one.body))).toHaveLength(1);
});
