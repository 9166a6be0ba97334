import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askedBy, chatWith, namesOf, scriptedEnvironment } from '../support/chat.ts';
import {
  type HandPlayedModel,
  type PlayedReply,
  startHandPlayedModel,
} from '../support/hand-played-model.ts';
import { isGrading, recordsOf } from '../support/quality.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const safeMessage = 'I do not have enough reliable information to answer that.';
let played: HandPlayedModel;
let service: TestApp;
let botId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  played = await startHandPlayedModel();
  service = await startTestApp({ environment: scriptedEnvironment(played) });
  botId = await chat.bot({ enable_confidence_scoring: true });
});
afterAll(async () => {
  await service.stop();
  await played.close();
});

const unspoken = 'Half a thought';
const read = async (id: string) => (await service.call(`GET /api/v1/conversations/${id}`)).body;
const stats = async (id: string) => (await service.call(`GET /api/v1/chat/stats?conversation_id=${id}`)).body;
const stop = (id: string) => service.call('POST /api/v1/chat/stop', { body: { conversation_id: id } });

async function begin() {
  const user = { bot_id: botId, external_user_id: randomUUID() };
  const sent = await chat.send(user);
  const reply = await played.next();
  const { data } = await sent.until('turn.started');
  return { user, sent, reply, id: data.conversation_id as string };
}

/** The reply is complete and being graded, so the service has received all of it. */
async function untilGrading(reply: PlayedReply): Promise<PlayedReply> {
  reply.write(unspoken, ' goes', ' on.');
  reply.finish({ input: 10, output: 5 });
  const grading = await played.next();
  expect(isGrading(grading.body)).toBe(true);
  return grading;
}

it('shows nothing before the grade, neither to the sender nor to those who follow or join', async () => {
  const { sent, reply, id } = await begin();
  const follower = await chat.listen(id);
  reply.write(unspoken, ' conti');
  const joinedMidway = await chat.listen(id);
  await joinedMidway.until('turn.started');
  reply.write('nues.');
  reply.finish();
  const grading = await played.next();
  const joinedLate = await chat.listen(id, { after: 0 });
  await joinedLate.until('turn.started');
  expect(JSON.stringify(await read(id))).not.toContain(unspoken);
  expect(JSON.stringify(await chat.log(id))).not.toContain(unspoken);
  const shown = () => JSON.stringify([sent, follower, joinedMidway, joinedLate].map(({ events }) => events));
  expect(shown()).not.toContain(unspoken);

  grading.write('{"score": 0.8}');
  grading.finish();
  for (const reader of [sent, follower, joinedMidway, joinedLate]) {
    await reader.until('turn.completed');
    expect(namesOf(reader.events)).toEqual(['turn.started', 'message.completed', 'turn.completed']);
    expect(reader.events[1]?.data.message.content).toBe(`${unspoken} continues.`);
    reader.close();
  }
});

it('shows nothing of a refused reply', async () => {
  const { sent, reply, id } = await begin();
  const follower = await chat.listen(id);
  const grading = await untilGrading(reply);
  grading.write('{"score": 0.1}');
  grading.finish();
  await sent.until('turn.completed');
  await follower.until('turn.completed');
  expect(JSON.stringify([sent.events, follower.events])).not.toContain(unspoken);
  expect(sent.events[1]?.data.message.content).toBe(safeMessage);
  follower.close();
});

it('stopped during grading: nothing was shown, nothing is kept, everything is paid for', async () => {
  const { user, sent, reply, id } = await begin();
  const follower = await chat.listen(id);
  const grading = await untilGrading(reply);
  grading.write('{"sco');
  const stopped = await stop(id);
  expect(stopped).toMatchObject({ status: 200, body: { stopped: true } });
  await grading.abandoned;
  const { events, complete } = await sent.ended();
  expect(complete).toBe(true);
  expect(namesOf(events)).toEqual(['turn.started', 'turn.interrupted']);
  await follower.until('turn.interrupted');
  expect(namesOf(follower.events)).toEqual(['turn.started', 'turn.interrupted']);
  follower.close();
  expect(await read(id)).toMatchObject({ status: 'idle', message_count: 1 });
  expect(await recordsOf(service.database, id)).toEqual([]);
  const used = await stats(id);
  expect(used.input_tokens).toBeGreaterThan(10);
  expect(used.output_tokens).toBeGreaterThanOrEqual(5);

  const next = await chat.send({ ...user, message: 'Again.' });
  const again = await played.next();
  expect(askedBy(again).map(({ content }) => content)).toEqual(['Be kind.', 'hello', 'Again.']);
  const regrading = await untilGrading(again);
  regrading.write('{"score": 1}');
  regrading.finish();
  expect((await next.ended()).events.at(-1)?.event).toBe('turn.completed');
});

it('stopped in the middle of the reply: nothing of it is kept', async () => {
  const { sent, reply, id } = await begin();
  reply.write(`${unspoken} `.repeat(50));
  expect((await stop(id)).body).toEqual({ stopped: true });
  await reply.abandoned;
  expect(namesOf((await sent.ended()).events)).toEqual(['turn.started', 'turn.interrupted']);
  expect(await read(id)).toMatchObject({ message_count: 1 });
});

it('failed in the middle of the reply: nothing of it is kept', async () => {
  played.autoplay((reply) => {
    reply.write(unspoken);
    reply.writeRaw('data: {"error":{"message":"no","code":"invalid"}}\n\n');
  });
  const { events, conversationId } = await chat.say({ bot_id: botId });
  played.autoplay();
  expect(namesOf(events)).toEqual(['turn.started', 'turn.failed']);
  expect(await read(conversationId)).toMatchObject({ message_count: 1, status: 'idle' });
});
