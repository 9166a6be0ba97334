import { expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { validationQueue } from '../../src/quality/validation/reply-validation.queue.ts';
import { hang, text, toolCall } from '../scripted-model/script.ts';
import { askedBy, eventually } from '../support/chat.ts';
import { asksForJudgement, playBot } from '../support/evaluating.ts';
import { assignTools, isGrading, recordsOf, score } from '../support/quality.ts';
import { useEvaluations } from './use-evaluations.ts';

const setup = useEvaluations();
const { chat, scenario, start, report, evaluate, read } = setup;

it('evaluation conversations are not listed among chats, can be read by id, and cannot be continued', async () => {
  const botId = await chat.bot();
  await scenario(botId, { name: 'Greets' });
  const { cases } = await evaluate(botId);
  const id: string = cases[0].conversation_id;
  const user = { bot_id: botId, external_user_id: 'somebody' };
  const chatted = await chat.say(user);

  const listed = (query: string) => setup.service.call(`GET /api/v1/conversations?${query}`);
  for (const query of ['', `bot_id=${botId}`, 'channel=chat', 'external_user_id=somebody']) {
    const ids = (await listed(query)).body.map((one: { id: string }) => one.id);
    expect(ids, query).toContain(chatted.conversationId);
    expect(ids, query).not.toContain(id);
  }
  expect((await listed(`channel=evaluation&bot_id=${botId}`)).body).toMatchObject([
    { id, channel: 'evaluation', title: 'Greets' },
  ]);
  expect((await setup.service.call(`GET /api/v1/conversations/${id}`)).body).toMatchObject({
    id,
    channel: 'evaluation',
    external_user_id: null,
    status: 'idle',
    messages: [{ role: 'user' }, { role: 'assistant', content: 'All is well.' }],
  });
  expect((await setup.service.call(`GET /api/v1/chat/stats?conversation_id=${id}`)).body.turns).toBe(1);

  const body = { message: 'More', external_user_id: 'somebody', conversation_id: id };
  expect(await setup.service.call('POST /api/v1/chat/send-stream', { body })).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_FAILED', details: [{ path: 'conversation_id' }] },
  });
  expect((await chat.say(user)).conversationId).toBe(chatted.conversationId);
});

it('their replies are graded as usual, but neither recorded nor validated', async () => {
  const botId = await chat.bot({ enable_confidence_scoring: true, enable_response_validation: true });
  await assignTools(setup.service.call, botId, [{ tool_type: 'calculator' }]);
  await scenario(botId, { turns: ['sum'], expected_facts: ['x'] });
  playBot(setup.scripted, {
    reply: (request) => {
      if (isGrading(request.body)) return score(0.1);
      const isResult = askedBy(request).at(-1)?.role === 'tool';
      return isResult ? [text('It is 5.')] : [toolCall('calculator', { expression: '2 + 2' })];
    },
  });
  const { cases } = await evaluate(botId);
  const sent = cases[0].transcript.at(-1);
  expect(sent).toMatchObject({ role: 'assistant' });
  expect(sent.content).not.toContain('It is 5.');
  expect(await recordsOf(setup.service.database, cases[0].conversation_id)).toEqual([]);
  const { rows } = await setup.service.database.acrossWorkspaces.execute(
    sql`select count(*)::int as jobs from pgboss.job where name = ${validationQueue.name}`,
  );
  expect(rows).toEqual([{ jobs: 0 }]);
  // The judge sees the reply that was sent.
  const question = askedBy(setup.scripted.requests.find(asksForJudgement)).at(-1)?.content;
  expect(question).not.toContain('It is 5.');
  expect(question).toContain(JSON.stringify(sent.content));
});

it('stopping one makes its case an error, and the next case runs', async () => {
  const botId = await chat.bot();
  await scenario(botId, { turns: ['first'] });
  await scenario(botId, { turns: ['second'] });
  let isFirst = true;
  playBot(setup.scripted, {
    reply: () => {
      const script = isFirst ? [hang] : [text('Yes.')];
      isFirst = false;
      return script;
    },
  });
  const id = await start(botId);
  await eventually(() => setup.scripted.requests.length).toBeGreaterThan(0);
  const conversationId = (await read(botId, id)).cases[0].conversation_id;
  await setup.service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });
  expect(await report(botId, id)).toMatchObject({
    status: 'completed',
    cases: [
      { status: 'error', reasons: [{ kind: 'error', code: 'TURN_INTERRUPTED' }] },
      { status: 'passed' },
    ],
  });
});

it('they and their evaluations belong to their workspace alone', async () => {
  const botId = await chat.bot();
  await scenario(botId, {});
  const { id, cases } = await evaluate(botId);
  const other = await setup.service.makeWorkspace();
  const theirs = (
    await setup.service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' }, key: other.key })
  ).body.id;
  const places = [
    `GET /api/v1/bots/${botId}/evaluations`,
    `POST /api/v1/bots/${botId}/evaluations`,
    `GET /api/v1/bots/${botId}/evaluations/${id}`,
    `GET /api/v1/bots/${theirs}/evaluations/${id}`,
    `POST /api/v1/bots/${theirs}/evaluations/${id}/stop`,
    `GET /api/v1/conversations/${cases[0].conversation_id}`,
  ];
  for (const place of places) {
    expect((await setup.service.call(place, { key: other.key })).status, place).toBe(404);
  }
  const elsewhere = await chat.bot();
  expect((await setup.service.call(`GET /api/v1/bots/${elsewhere}/evaluations/${id}`)).status).toBe(404);
  expect(
    (await setup.service.call('GET /api/v1/conversations?channel=evaluation', { key: other.key })).body,
  ).toEqual([]);
});
