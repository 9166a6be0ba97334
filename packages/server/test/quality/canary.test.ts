import { afterAll, beforeAll, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { until } from '../support/faults/until.ts';
import {
  fillIds,
  isEventStream,
  type Operation,
  pathResources,
  queryResources,
  readOperations,
} from '../support/operations.ts';
import { assignTools, claims, judge, recordsOf, score } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Planted in a refused reply, a claim and a score: no operation of the API may return any of the three. */
const refusedText = 'canary-refused-77d1';
const claim = 'canary-claim-93ab';
const planted = 0.273645;
const sentScore = 0.918273;

const safeMessage = 'I do not have enough reliable information to answer that.';
let scripted: ScriptedModel;
let service: TestApp;
let conversationId: string;
let botId: string;
const chat = chatWith(() => service);

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
  botId = await chat.bot({
    enable_agent_tracing: true,
    enable_confidence_scoring: true,
    enable_response_validation: true,
  });
  await assignTools(service.call, botId, [{ tool_type: 'calculator' }]);
  judge(scripted, {
    replies: [[text(refusedText)], [toolCall('calculator', { expression: '1' })], [text('One.')]],
    grades: [score(planted), score(sentScore)],
    verdicts: [claims(claim)],
  });
  const user = { bot_id: botId, external_user_id: 'canary' };
  const first = await chat.say(user);
  expect(first.text).toBe(safeMessage);
  conversationId = first.conversationId;
  await chat.say(user);
  const records = () => recordsOf(service.database, conversationId);
  await until('a verdict is there', async () => (await records())[1]?.['verdict'] === 'unsupported');
  // They are stored, for those who may see them.
  expect(await records()).toMatchObject([
    { refused_text: refusedText, score: planted },
    { unsupported_claims: [claim], score: sentScore },
  ]);
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

function expectClean(answer: string): void {
  for (const canary of [refusedText, claim, String(planted), String(sentScore), 'unsupported']) {
    expect(answer).not.toContain(canary);
  }
}

it('no read operation shows what was refused, found or scored', async () => {
  const ids: Record<string, string> = { bots: botId, conversations: conversationId };
  const idsOf = (operation: Operation) =>
    [...pathResources(operation.path), ...queryResources(operation)].map(
      (name) => ids[name] ?? conversationId,
    );
  const operations = (await readOperations(service)).filter(
    (one) => one.method === 'GET' && !isEventStream(one) && one.path !== '/openapi.json',
  );
  const read = await Promise.all(
    operations.map(async (operation) => {
      const { body } = await service.call(`GET ${fillIds(operation, idsOf(operation))}`);
      return { name: operation.name, body: JSON.stringify(body) };
    }),
  );
  const names = read.map(({ name }) => name);
  for (const path of ['/conversations/{id}', '/conversations/{id}/trace', '/chat/events', '/chat/stats']) {
    expect(names).toContain(`GET /api/v1${path}`);
  }
  for (const { name, body } of read.filter((one) => !one.name.includes('docs'))) {
    expect(body, name).toBeTruthy();
    // A key that may read the workspace gets the verdict and the number of claims, here only.
    const verdict = '"output":{"verdict":"unsupported","unsupported_claims":1}';
    expectClean(name.endsWith('/conversations/{id}/trace') ? body.replace(verdict, '') : body);
  }
  // The conversation is among the responses.
  expect(JSON.stringify(read)).toContain('One.');
});

it('nor does the stream, however much of it is replayed', async () => {
  const reader = await chat.listen(conversationId, { after: 0 });
  await reader.until(({ event, data }) => event === 'message.completed' && data.message.content === 'One.');
  expectClean(JSON.stringify(reader.events));
  reader.close();
});

it('nor does truncating', async () => {
  const { body } = await service.call(`GET /api/v1/conversations/${conversationId}`);
  const answer = await service.call(`POST /api/v1/conversations/${conversationId}/truncate`, {
    body: { message_id: body.messages.at(-1).id },
  });
  expect(answer.status).toBe(200);
  expectClean(JSON.stringify(answer.body));
});
