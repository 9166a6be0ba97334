import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { judge, score } from '../support/quality.ts';
import { runCommand } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let model: ScriptedModel;
let store: TestDatabase;
let node: TestNode;
let botId: string;

beforeAll(async () => {
  model = await startScriptedModel();
  store = await createTestDatabase();
  judge(model, {
    replies: [[text('Fine.')], [text('\u001b]0;gotcha\u0007Made\nup.')]],
    grades: [score(0.9), score(0.05)],
  });
  node = await startNode({ database: store.database, environment: scriptedEnvironment(model) });
  const chat = chatWith(() => node);
  botId = await chat.bot({ enable_confidence_scoring: true });
  for (const message of ['one', 'two'])
    expect((await chat.say({ message, bot_id: botId })).last.event).toBe('turn.completed');
});
afterAll(async () => {
  await node.stop();
  await store.drop();
  await model.close();
});

const svc = (...args: string[]) => runCommand(['quality', ...args], store.environment);
async function json(...args: string[]) {
  const result = await svc(...args, '--json');
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return JSON.parse(result.stdout);
}

describe('svc quality, beside a running service', () => {
  it('summarises the days of a bot', async () => {
    const summary = await json(botId, '--days', '3');
    expect(summary).toMatchObject({
      bot_id: botId,
      total: { graded: 2, average_score: 0.475, refused: 1, ungraded: 0, validated: 0 },
    });
    expect(summary.days).toHaveLength(3);
    const { stdout } = await svc(botId);
    expect(stdout.match(/^\d{4}-\d\d-\d\d /gm)).toHaveLength(7);
    expect(stdout).toMatch(/^DATE +GRADED +AVERAGE/);
    expect(stdout).toMatch(/^all +2 +0\.4[78] +1 +0 /m);
  });

  it('lists its records, optionally only the refused ones', async () => {
    const refused = await json('records', botId, '--refused');
    expect(refused).toMatchObject({ bot_id: botId, next: null });
    expect(refused.records).toMatchObject([
      { refused: true, score: 0.05, refused_text: expect.stringContaining('Made') },
    ]);
    const { records, next } = await json('records', botId, '--limit', '1');
    expect(records).toMatchObject([{ score: 0.05 }]);
    expect((await json('records', botId, '--before', next)).records).toMatchObject([{ score: 0.9 }]);
    expect((await json('records', botId, '--unsupported')).records).toEqual([]);
  });

  it("prints readable text without a model's terminal escapes", async () => {
    const { stdout } = await svc('records', botId, '--refused');
    expect(stdout).toContain('Made up.');
    expect(stdout).toContain('refused');
    expect(stdout).not.toContain('\u001b');
  });

  it.each([
    [[randomUUID()], 'There is no bot with this id.'],
    [['records', randomUUID()], 'There is no bot with this id.'],
    [['nonsense'], 'not an id'],
    [[randomUUID(), '--days', '0'], 'from 1 to 366'],
  ])('explains what is wrong with %j', async (args, complaint) => {
    const result = await svc(...args);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain(complaint);
    expect(result.stdout).toBe('');
  });
});
