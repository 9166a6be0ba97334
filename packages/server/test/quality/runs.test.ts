import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { complete, giveTools, incomplete, makeAgent, runToItsEnd } from '../support/agents.ts';
import { chatWith, eventually, scriptedEnvironment } from '../support/chat.ts';
import { asked, claims, judge, recordsOf, score } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const safeMessage = 'I do not have enough reliable information to answer that.';
let scripted: ScriptedModel;
let service: TestApp;
let agentId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
});
beforeEach(async () => {
  scripted.reset();
  agentId = await makeAgent(service, {
    enable_agent_tracing: true,
    enable_confidence_scoring: true,
    enable_response_validation: true,
  });
  await giveTools(service, agentId, ['calculator']);
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const calculates = [toolCall('calculator', { expression: '6 * 7' })];
const trace = async (id: string) => (await service.call(`GET /api/v1/conversations/${id}/trace`)).body.steps;

it('grades every reply of a run, and compares only the last one with its sources', async () => {
  judge(scripted, {
    replies: [[text('Done, I think.')], calculates, [text('There are 42, all of them blue.')]],
    grades: [score(0.6), score(0.9)],
    checks: [incomplete('Nothing was counted.'), complete],
    verdicts: [claims('They are blue.')],
  });
  const run = await runToItsEnd(service, agentId);
  expect(run).toMatchObject({ status: 'completed', final_output: 'There are 42, all of them blue.' });
  const records = () => recordsOf(service.database, run.id);
  await eventually(async () => (await records())[1]?.['verdict']).toBe('unsupported');
  expect(await records()).toMatchObject([
    { score: 0.6, refused: false, validation: null },
    { score: 0.9, refused: false, validation: 'validated', unsupported_claims: ['They are blue.'] },
  ]);
  expect(asked(scripted).verdicts).toHaveLength(1);
  expect(asked(scripted).grades).toHaveLength(2);
  expect((await trace(run.id)).map(({ type }: { type: string }) => type)).toEqual([
    'model',
    'confidence',
    'goal_completion_check',
    'model',
    'tool',
    'model',
    'confidence',
    'goal_completion_check',
    'validation',
  ]);
});

it('a refused reply is not the output of a run and cannot be read anywhere', async () => {
  judge(scripted, { replies: [calculates, [text('There are a zillion.')]], grades: [score(0.1)] });
  const run = await runToItsEnd(service, agentId);
  expect(run).toMatchObject({ status: 'completed', final_output: safeMessage });
  const visible = [
    run,
    await trace(run.id),
    await chat.log(run.id),
    asked(scripted).checks.map(({ body }) => body),
  ];
  expect(JSON.stringify(visible)).not.toContain('zillion');
  expect(await recordsOf(service.database, run.id)).toMatchObject([
    { refused: true, refused_text: 'There are a zillion.', validation: null },
  ]);
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select 1 from pgboss.job where name = 'response-validation' and data ->> 'recordId' in
        (select id::text from quality_records where conversation_id = ${run.id})`,
  );
  expect(rows).toEqual([]);
});
