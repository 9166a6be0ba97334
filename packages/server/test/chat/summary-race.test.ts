import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { askedBy, chatWith, eventually, namesOf, scriptedEnvironment, turnOf } from '../support/chat.ts';
import {
  type HandPlayedModel,
  isSummary,
  type PlayedReply,
  startHandPlayedModel,
} from '../support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** Summaries are written in the background: what may happen to the conversation meanwhile. */
let played: HandPlayedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  played = await startHandPlayedModel();
  service = await startTestApp({ environment: scriptedEnvironment(played) });
  botId = await chat.bot({ model: 'openai/gpt-4' });
});
afterAll(async () => {
  await service.stop();
  await played.close();
});

const filler = 'Lorem ipsum dolor sit amet. '.repeat(36);

/** A conversation whose summary was requested and is not answered yet. */
async function aboutToBeSummarised() {
  const asked = Promise.withResolvers<PlayedReply>();
  played.autoplay((reply) => {
    if (isSummary(reply.body)) return asked.resolve(reply);
    reply.write(`A reply. ${filler}`);
    reply.finish();
  });
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const turns = [];
  for (let turn = 1; turn <= 8; turn += 1) {
    turns.push(await chat.say({ ...user, message: `Message ${turn}. ${filler}` }));
  }
  const summary = await asked.promise;
  played.autoplay();
  return { user, turns, summary, id: turns[0]?.conversationId ?? '' };
}

async function stored(id: string) {
  const { rows } = await service.database.acrossWorkspaces.execute<{
    summary: string | null;
    through: number;
  }>(sql`select summary, summary_through::int as through from conversations where id = ${id}`);
  return rows[0];
}

async function countUsage(id: string): Promise<number> {
  const { rows } = await service.database.acrossWorkspaces.execute<{ count: number }>(
    sql`select count(*)::int as count from usage_records where conversation_id = ${id}`,
  );
  return rows[0]?.count ?? 0;
}

const truncate = (id: string, messageId: string | undefined) =>
  service.call(`POST /api/v1/conversations/${id}/truncate`, { body: { message_id: messageId } });

async function systemOfNextTurn(user: object): Promise<string | undefined> {
  const sent = await chat.send({ ...user, message: 'And now?' });
  const model = await played.next();
  model.finish();
  await sent.ended();
  return askedBy(model)[0]?.content;
}

it('a summary does not block: the conversation is idle and takes the next turn', async () => {
  const { user, id, summary } = await aboutToBeSummarised();
  expect((await service.call(`GET /api/v1/conversations/${id}`)).body.status).toBe('idle');
  expect(await systemOfNextTurn(user)).toBe('Be kind.');
  summary.write('Notes.');
  summary.finish();
  await eventually(async () => (await stored(id))?.summary).toBe('Notes.');
});

it('a summary does not keep text that was truncated meanwhile, but is paid for', async () => {
  const { user, id, turns, summary } = await aboutToBeSummarised();
  expect((await truncate(id, turns[0]?.messageId)).status).toBe(200);
  summary.write('What was removed, in short.');
  summary.finish();
  await eventually(() => countUsage(id)).toBe(9);
  expect(await stored(id)).toEqual({ summary: null, through: 0 });
  expect(await systemOfNextTurn(user)).toBe('Be kind.');
});

it('a summary is dropped when a truncation removes text that it covers, and otherwise kept', async () => {
  const { user, id, turns, summary } = await aboutToBeSummarised();
  summary.write('All of it, in short.');
  summary.finish();
  await eventually(async () => (await stored(id))?.summary).toBe('All of it, in short.');
  await truncate(id, turns[6]?.messageId);
  expect((await stored(id))?.summary).toBe('All of it, in short.');
  expect(await systemOfNextTurn(user)).toContain('All of it, in short.');
  await truncate(id, turns[0]?.messageId);
  expect(await stored(id)).toEqual({ summary: null, through: 0 });
  expect(await systemOfNextTurn(user)).toBe('Be kind.');
});

it('an empty summary changes nothing, but is paid for', async () => {
  const { id, summary } = await aboutToBeSummarised();
  summary.write('  ');
  summary.finish();
  await eventually(() => countUsage(id)).toBe(9);
  expect(await stored(id)).toEqual({ summary: null, through: 0 });
});

it('a truncation does not wait for a turn: it is 409 while one runs, and works afterwards', async () => {
  const sent = await chat.send({ bot_id: botId });
  const model = await played.next();
  const { data } = await sent.until('turn.started');
  const { conversation_id: id, user_message: message } = data;
  const refused = await truncate(id, message.id);
  expect([refused.status, refused.body.code]).toEqual([409, 'TURN_IN_PROGRESS']);
  model.write('Done.');
  model.finish();
  const said = turnOf((await sent.ended()).events);
  expect(namesOf(said.events)).toContain('message.completed');
  expect((await truncate(id, message.id)).body.removed_messages).toBe(1);
});
