import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cut, hang, type Script, status, text, toolCall, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, chatWith, durable, namesOf, scriptedEnvironment } from '../support/chat.ts';
import { asked, assignTools, judge, recordsOf, score } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const safeMessage = 'I do not have enough reliable information to answer that.';
let scripted: ScriptedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({ environment: scriptedEnvironment(scripted) });
});
beforeEach(async () => {
  scripted.reset();
  botId = await chat.bot({ enable_confidence_scoring: true });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

const records = (conversationId: string) => recordsOf(service.database, conversationId);

describe('a reply', () => {
  it('is graded by the model that wrote it, with the same context, and sent when it is good enough', async () => {
    judge(scripted, { replies: [[text('Paris.')]], grades: [score(0.9)] });
    const turn = await chat.say({ bot_id: botId, message: 'The capital of France?' });
    expect(turn.text).toBe('Paris.');
    expect(namesOf(turn.events)).toEqual(['turn.started', 'message.completed', 'turn.completed']);
    const [grading] = asked(scripted).grades;
    expect(grading?.body['model']).toBe('gpt-4o');
    const question = JSON.stringify(askedBy(grading));
    for (const part of ['Be kind.', 'The capital of France?', 'Paris.']) expect(question).toContain(part);
    expect(await records(turn.conversationId)).toMatchObject([
      {
        bot_id: botId,
        turn_id: turn.turnId,
        message_id: turn.messageId,
        grading: 'graded',
        score: 0.9,
        refused: false,
        refused_text: null,
        validation: null,
      },
    ]);
  });

  it('is replaced below 0.3: it cannot be read anywhere and is not part of later turns', async () => {
    judge(scripted, {
      replies: [[text('The moon is cheese.')], [text('Fine.')]],
      grades: [score(0.29), score(1)],
    });
    const user = { bot_id: botId, external_user_id: randomUUID() };
    const turn = await chat.say(user);
    expect(turn.text).toBe(safeMessage);
    expect(JSON.stringify(turn.events)).not.toContain('cheese');
    const { body } = await service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    expect(body.messages.at(-1)).toEqual(durable(turn.events)[1]?.data.message);
    expect(await records(turn.conversationId)).toMatchObject([
      {
        grading: 'graded',
        score: 0.29,
        refused: true,
        refused_text: 'The moon is cheese.',
        message_id: turn.messageId,
      },
    ]);

    await chat.say({ ...user, message: 'And then?' });
    const later = asked(scripted).replies[1];
    expect(askedBy(later).map(({ content }) => content)).toEqual([
      'Be kind.',
      'hello',
      safeMessage,
      'And then?',
    ]);
    expect(JSON.stringify(asked(scripted).grades[1]?.body)).not.toContain('cheese');
  });

  it.each([
    [0.3, false],
    [0.30001, false],
    [0.2999, true],
    [0, true],
  ])('graded exactly %d is refused: %s', async (value, refused) => {
    judge(scripted, { grades: [score(value)] });
    const turn = await chat.say({ bot_id: botId });
    expect(turn.text).toBe(refused ? safeMessage : 'Yes.');
    expect(await records(turn.conversationId)).toMatchObject([{ score: value, refused }]);
  });

  it('is replaced in the language of the conversation, or by the text of the bot', async () => {
    judge(scripted, { grades: [score(0.1), score(0.1)] });
    const german = await chat.say({ bot_id: botId, message: 'Wann ist die Ware da?' });
    expect(german.text).toBe('Ich habe nicht genug verlässliche Informationen, um das zu beantworten.');
    const settings = { enable_confidence_scoring: true, safe_message: 'Please call us.' };
    expect(await service.call(`PUT /api/v1/bots/${botId}`, { body: settings })).toMatchObject({
      status: 200,
    });
    const { body } = await service.call(`GET /api/v1/bots/${botId}`);
    expect(JSON.parse(body.settings)).toMatchObject({ safe_message: 'Please call us.' });
    expect((await chat.say({ bot_id: botId, message: 'Wann ist die Ware da?' })).text).toBe(
      'Please call us.',
    );
    const blank = await service.call(`PUT /api/v1/bots/${botId}`, { body: { safe_message: ' ' } });
    expect(blank).toMatchObject({ status: 400, body: { details: [{ path: 'safe_message' }] } });
  });

  it('is graded after its calls, and text beside calls is not shown', async () => {
    await assignTools(service.call, botId, [{ tool_type: 'calculator' }]);
    judge(scripted, {
      replies: [
        [text('I reckon wildly.'), toolCall('calculator', { expression: '6 * 7' })],
        [text('It is 42.')],
      ],
    });
    const turn = await chat.say({ bot_id: botId });
    expect(namesOf(turn.events)).not.toContain('message.delta');
    const said = turn.events
      .filter(({ event }) => event === 'message.completed')
      .map(({ data }) => data.message);
    expect(said.map(({ content }) => content)).toEqual(['', 'It is 42.']);
    expect(said[0].tool_calls).toMatchObject([{ name: 'calculator' }]);
    const { body } = await service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    expect(JSON.stringify([turn.events, body])).not.toContain('reckon');
    expect(asked(scripted).grades).toHaveLength(1);
    expect(JSON.stringify(asked(scripted).grades[0]?.body)).toContain('Result of calculator');
    expect(await records(turn.conversationId)).toHaveLength(1);
  });

  it('is charged with its grade, whether it is sent or not', async () => {
    judge(scripted, {
      replies: [[text('Yes.'), usage(1_000, 100, 200)]],
      grades: [[text('{"score": 0.1}'), usage(2_000, 10)]],
    });
    const turn = await chat.say({ bot_id: botId });
    expect(turn.last.data.usage).toEqual({
      input_tokens: 3_000,
      cached_input_tokens: 200,
      output_tokens: 110,
    });
    const { body } = await service.call(`GET /api/v1/chat/stats?conversation_id=${turn.conversationId}`);
    expect(body).toMatchObject({
      input_tokens: 3_000,
      output_tokens: 110,
      cost_usd: turn.last.data.cost_usd,
    });
    // gpt-4o: 2.5, 1.25 and 10 dollars for a million.
    expect(Number(turn.last.data.cost_usd)).toBeCloseTo((2_800 * 2.5 + 200 * 1.25 + 110 * 10) / 1e6, 9);
  });
});

describe('a grader that', () => {
  const faults: [string, Script][] = [
    ['talks', [text('A fine reply, I would say.')]],
    ['says nothing', [usage(10, 0)]],
    ['returns no number', score('high')],
    ['returns a number that is not a grade', score(7)],
    ['refuses', [status(400, {}, { error: { message: 'no grading of sk-canary-5f1d9c7e2b' } })]],
    ['is cut off', [text('{"score": 0.'), cut]],
    ['grades twice', [text('{"score": 0.1} {"score": 0.9}')]],
  ];
  it.each(faults)('%s does not delay the reply', async (_what, fault) => {
    judge(scripted, { grades: [fault] });
    const turn = await chat.say({ bot_id: botId });
    expect(turn.text).toBe('Yes.');
    expect(turn.last.event).toBe('turn.completed');
    const [record] = await records(turn.conversationId);
    expect(record).toMatchObject({ grading: 'ungraded', score: null, refused: false });
    expect(record?.['ungraded_because']).toMatch(/^[A-Z].*\.$/);
    expect(JSON.stringify(record)).not.toContain('sk-canary');
    const noted = service.logged.find((line) => line.includes('sent ungraded') && line.includes(turn.turnId));
    expect(JSON.parse(noted ?? '{}')).toMatchObject({ problem: record?.['ungraded_because'] });
  });

  it('is silent is not waited for endlessly', async () => {
    judge(scripted, { grades: [[hang]] });
    const turn = await chat.say({ bot_id: botId });
    expect(turn.text).toBe('Yes.');
    expect(await records(turn.conversationId)).toMatchObject([
      { grading: 'ungraded', ungraded_because: expect.stringContaining('within 15 seconds') },
    ]);
  });

  it('is built in is not called', async () => {
    const bot = await chat.bot({ enable_confidence_scoring: true, model: 'builtin/extractive' });
    const turn = await chat.say({ bot_id: bot });
    expect(turn.last).toMatchObject({ event: 'turn.completed', data: { cost_usd: '0' } });
    expect(turn.text).toContain('built-in model');
    expect(scripted.requests).toEqual([]);
    expect(await records(turn.conversationId)).toMatchObject([{ grading: 'ungraded', score: null }]);
  });
});

it('does not grade when grading is switched off', async () => {
  judge(scripted, {});
  const bot = await chat.bot();
  const turn = await chat.say({ bot_id: bot });
  expect(namesOf(turn.events)).toContain('message.delta');
  expect(asked(scripted).grades).toEqual([]);
  expect(await records(turn.conversationId)).toEqual([]);
});
