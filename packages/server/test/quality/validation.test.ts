import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { withDeadLetters } from '../../src/jobs/dead-letters.ts';
import { createLog } from '../../src/lib/log.ts';
import { status, text, toolCall, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { askedBy, chatWith, type SaidTurn, scriptedEnvironment } from '../support/chat.ts';
import { asked, assignTools, claims, judge, recordsOf, score } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

// Retries take seconds.

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
  botId = await makeBot({ enable_response_validation: true });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});

async function makeBot(settings: object): Promise<string> {
  const id = await chat.bot(settings);
  await assignTools(service.call, id, [{ tool_type: 'calculator' }]);
  return id;
}

const calculates = [toolCall('calculator', { expression: '6 * 7' })];
const records = ({ conversationId }: SaidTurn) => recordsOf(service.database, conversationId);
const stats = async ({ conversationId }: SaidTurn) =>
  (await service.call(`GET /api/v1/chat/stats?conversation_id=${conversationId}`)).body;
const eventually = <Seen>(look: () => Seen) => expect.poll(look, { interval: 100 });
const validated = (turn: SaidTurn) =>
  eventually(async () => (await records(turn))[0]?.['validation']).toBe('validated');
const jobsOf = async (recordId: unknown) => {
  const { rows } = await service.database.acrossWorkspaces.execute<{ id: string; state: string }>(
    sql`select id, state::text as state from pgboss.job
        where name = 'response-validation' and data ->> 'recordId' = ${recordId}`,
  );
  return rows;
};

describe('an answer from sources', () => {
  it('is compared with them afterwards: the verdict is recorded and logged, and the answer stays', async () => {
    judge(scripted, {
      replies: [calculates, [text('It is 42, as everybody in Rome knows.')]],
      verdicts: [claims('Everybody in Rome knows it.')],
    });
    const turn = await chat.say({ bot_id: botId, message: 'What is 6 times 7?' });
    expect(turn.last.event).toBe('turn.completed');
    await validated(turn);
    expect(await records(turn)).toMatchObject([
      {
        bot_id: botId,
        turn_id: turn.turnId,
        grading: null,
        score: null,
        verdict: 'unsupported',
        unsupported_claims: ['Everybody in Rome knows it.'],
        passages: [],
        validated_at: expect.any(String),
      },
    ]);
    const question = JSON.stringify(askedBy(asked(scripted).verdicts[0]));
    for (const part of ['What is 6 times 7?', 'calculator', '42', 'everybody in Rome']) {
      expect(question).toContain(part);
    }
    const logged = service.logged.find(
      (line) => line.includes('do not support') && line.includes(turn.turnId),
    );
    expect(JSON.parse(logged ?? '{}')).toMatchObject({
      bot_id: botId,
      verdict: 'unsupported',
      unsupported_claims: ['Everybody in Rome knows it.'],
    });
    const { body } = await service.call(`GET /api/v1/conversations/${turn.conversationId}`);
    expect(body.messages.at(-1).content).toBe('It is 42, as everybody in Rome knows.');
    expect((await chat.log(turn.conversationId)).at(-1)).toMatchObject({ event: 'turn.completed' });
  });

  it('may be based on an earlier message of an operator', async () => {
    judge(scripted, {
      replies: [calculates, [text('It is 42.')], calculates, [text('42, and the refund is granted.')]],
      verdicts: [claims(), claims()],
    });
    const user = { bot_id: botId, external_user_id: 'refunded' };
    const { conversationId } = await chat.say(user);
    const body = { content: 'Ann here: the refund is granted.' };
    await service.call(`POST /api/v1/conversations/${conversationId}/messages`, { body });
    const turn = await chat.say(user);
    await eventually(async () => (await records(turn)).map((row) => row['validation'])).toEqual([
      'validated',
      'validated',
    ]);
    const questions = asked(scripted).verdicts.map((question) => JSON.stringify(askedBy(question)));
    expect(questions.filter((question) => question.includes('Ann here'))).toHaveLength(1);
  });

  it('that they support is recorded as such, and the call is paid for', async () => {
    judge(scripted, {
      replies: [
        [...calculates, usage(100, 10)],
        [text('42.'), usage(200, 10)],
      ],
      verdicts: [[text('{"unsupported_claims": []}'), usage(1_000, 20)]],
    });
    const turn = await chat.say({ bot_id: botId });
    expect(turn.last.data.usage).toMatchObject({ input_tokens: 300, output_tokens: 20 });
    await validated(turn);
    expect(await records(turn)).toMatchObject([{ verdict: 'supported', unsupported_claims: [] }]);
    expect(await stats(turn)).toMatchObject({ input_tokens: 1_300, output_tokens: 40 });
  });

  it('is also compared with failed calls', async () => {
    judge(scripted, { replies: [[toolCall('calculator', { expression: '1 / 0' })], [text('It is 7.')]] });
    await validated(await chat.say({ bot_id: botId }));
  });
});

describe('no answer is compared', () => {
  /** The job is written with the reply, so if there is none when the turn ends, there never will be. */
  async function expectNone(turn: SaidTurn): Promise<void> {
    expect(turn.last.event).toBe('turn.completed');
    expect((await records(turn)).map(({ validation }) => validation)).not.toContain('pending');
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select 1 from pgboss.job where name = 'response-validation' and data ->> 'recordId' in
          (select id::text from quality_records where conversation_id = ${turn.conversationId})`,
    );
    expect(rows).toEqual([]);
    expect(asked(scripted).verdicts).toEqual([]);
  }

  it('for a turn without sources, even after one that had some', async () => {
    judge(scripted, { replies: [calculates, [text('42.')], [text('You are welcome.')]] });
    const first = await chat.say({ bot_id: botId, external_user_id: 'sources' });
    await validated(first);
    const before = asked(scripted).verdicts.length;
    const second = await chat.say({ bot_id: botId, external_user_id: 'sources', message: 'Thanks.' });
    expect(await records(second)).toHaveLength(1);
    expect(asked(scripted).verdicts).toHaveLength(before);
  });

  it('for a chat', async () => {
    judge(scripted, {});
    const turn = await chat.say({ bot_id: botId });
    await expectNone(turn);
    expect(await records(turn)).toEqual([]);
  });

  it('when validation is switched off', async () => {
    judge(scripted, { replies: [calculates, [text('42.')]] });
    await expectNone(await chat.say({ bot_id: await makeBot({}) }));
  });

  it('for a reply that was refused', async () => {
    const bot = await makeBot({ enable_response_validation: true, enable_confidence_scoring: true });
    judge(scripted, { replies: [calculates, [text('41.')]], grades: [score(0)] });
    const turn = await chat.say({ bot_id: bot });
    await expectNone(turn);
    expect(await records(turn)).toMatchObject([{ refused: true, validation: null }]);
  });
});

it('grade and verdict of one reply are one record', async () => {
  const bot = await makeBot({ enable_response_validation: true, enable_confidence_scoring: true });
  judge(scripted, { replies: [calculates, [text('42.')]], grades: [score(0.7)], verdicts: [claims('x')] });
  const turn = await chat.say({ bot_id: bot });
  await validated(turn);
  expect(await records(turn)).toMatchObject([{ grading: 'graded', score: 0.7, verdict: 'unsupported' }]);
});

describe('a validation', () => {
  it('that fails is retried, and every call is paid for', async () => {
    judge(scripted, {
      replies: [
        [...calculates, usage(0, 0)],
        [text('42.'), usage(0, 0)],
      ],
      verdicts: [
        [text('Looks right to me.'), usage(100, 1)],
        [text('{"unsupported_claims": ["y"]}'), usage(200, 2)],
      ],
    });
    const turn = await chat.say({ bot_id: botId });
    await eventually(async () => (await records(turn))[0]?.['validation']).toBe('failed');
    expect((await records(turn))[0]).toMatchObject({
      validation_problem: 'The model did not answer with a verdict.',
      verdict: null,
    });
    await validated(turn);
    expect(await records(turn)).toMatchObject([{ verdict: 'unsupported', validation_problem: null }]);
    expect(await stats(turn)).toMatchObject({ input_tokens: 300, output_tokens: 3 });
  });

  it('that cannot succeed becomes a dead letter immediately', async () => {
    judge(scripted, {
      replies: [calculates, [text('42.')]],
      verdicts: [[status(400, {}, { error: { message: 'the words of a provider' } })]],
    });
    const turn = await chat.say({ bot_id: botId });
    await eventually(async () => (await records(turn))[0]?.['validation']).toBe('failed');
    const [record] = await records(turn);
    const log = createLog({ level: 'silent', readable: false });
    const list = () => withDeadLetters({ database: service.database, log }, (letters) => letters.list());
    const ofThis = async () =>
      (await list()).filter(({ data }) => 'recordId' in data && data.recordId === record?.['id']);
    await eventually(async () => (await ofThis()).length).toBe(1);
    expect(await ofThis()).toMatchObject([{ queue: 'response-validation', attempts: 1 }]);
    expect(JSON.stringify([record, await ofThis()])).not.toContain('the words of a provider');
    expect(turn.last.event).toBe('turn.completed');
  });

  it('that is delivered twice is done once', async () => {
    const bot = await makeBot({ enable_response_validation: true, enable_agent_tracing: true });
    judge(scripted, { replies: [calculates, [text('42.')]], verdicts: [claims('first'), claims('second')] });
    const turn = await chat.say({ bot_id: bot });
    await validated(turn);
    const [record] = await records(turn);
    const before = await stats(turn);
    await eventually(async () => (await jobsOf(record?.['id']))[0]?.state).toBe('completed');
    await service.database.acrossWorkspaces.execute(
      sql`update pgboss.job set state = 'created', started_on = null, completed_on = null
          where name = 'response-validation' and data ->> 'recordId' = ${record?.['id']}`,
    );
    await eventually(async () => (await jobsOf(record?.['id']))[0]?.state).toBe('completed');
    expect(await records(turn)).toEqual([record]);
    expect(await stats(turn)).toEqual(before);
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select output from trace_steps where conversation_id = ${turn.conversationId} and type = 'validation'`,
    );
    expect(rows).toEqual([{ output: { verdict: 'unsupported', unsupported_claims: ['first'] } }]);
  });

  it('of a truncated answer leaves nothing behind', async () => {
    const bot = await makeBot({ enable_response_validation: true, enable_agent_tracing: true });
    // The second attempt finds that the answer is gone.
    judge(scripted, {
      replies: [calculates, [text('42.')]],
      verdicts: [[text('nonsense')], claims('a secret claim')],
    });
    const turn = await chat.say({ bot_id: bot });
    await eventually(async () => (await records(turn))[0]?.['validation']).toBe('failed');
    const [record] = await records(turn);
    const truncated = await service.call(`POST /api/v1/conversations/${turn.conversationId}/truncate`, {
      body: { message_id: turn.userMessageId },
    });
    expect(truncated.status).toBe(200);
    expect(await records(turn)).toEqual([]);
    await eventually(async () => (await jobsOf(record?.['id']))[0]?.state).toBe('completed');
    expect(asked(scripted).verdicts).toHaveLength(1);
    const { rows } = await service.database.acrossWorkspaces.execute(
      sql`select 1 from trace_steps where conversation_id = ${turn.conversationId}`,
    );
    expect(rows).toEqual([]);
  });
});
