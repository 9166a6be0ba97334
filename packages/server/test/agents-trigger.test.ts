import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { text } from './scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/server.ts';
import { endOfRun, makeAgent, startRun } from './support/agents.ts';
import { scriptedEnvironment } from './support/chat.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(() => scripted.reset());

it('runs', async () => {
  scripted.respondWith([text('There are four.')]);
  const agentId = await makeAgent(service);
  const conversationId = await startRun(service, agentId);
  const ended = await endOfRun(service, conversationId);
  expect(ended).toMatchObject({ status: 'completed', channel: 'agent', final_output: 'There are four.' });
});
