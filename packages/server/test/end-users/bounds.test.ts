import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { chatWith, eventually, idsOf, upTo } from '../support/chat.ts';
import { makePerson, type Person, sayAs } from '../support/end-users.ts';
import { setLimits } from '../support/limits.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
let botId: string;
let person: Person;
let conversationId: string;
const chat = chatWith(() => service);
beforeAll(async () => {
  service = await startTestApp();
  botId = await chat.bot();
  person = await makePerson(service);
  conversationId = (await sayAs(service, person, { bot_id: botId })).conversationId;
});
afterAll(() => service.stop());

it('end users do not use up what the account keys of their workspace may send', async () => {
  const limited = await startTestApp({ environment: { SVC_RATE_LIMIT_PER_MINUTE: '10' } });
  const people = await Promise.all(upTo(6).map(() => makePerson(limited)));
  const list = (key: string) => limited.call('GET /api/v1/conversations', { key });
  // From then on the service knows that their key is valid.
  await list(people[0]?.token ?? '');
  const flood = await Promise.all(people.flatMap(({ token }) => upTo(10).map(() => list(token))));
  // All of them together have as many requests as five keys.
  expect(flood.filter(({ status }) => status === 200)).toHaveLength(49);
  expect((await limited.call('GET /api/v1/bots')).status).toBe(200);
  await limited.stop();
});

it('an end user has at most 12 open streams', async () => {
  const open = () => chat.listen(conversationId, { key: person.token });
  const streams = await Promise.all(upTo(12).map(open));
  expect(await open()).toMatchObject({
    status: 429,
    error: { details: [{ limit: 'streams_per_user', value: 12 }] },
  });
  const ofIntegration = await chat.listen(conversationId);
  expect(ofIntegration.status).toBe(200);
  for (const stream of [...streams, ofIntegration]) stream.close();
  const again = async () => {
    const stream = await open();
    stream.close();
    return stream.status;
  };
  await eventually(again).toBe(200);
});

it('an end user learns nothing about the limits of the workspace', async () => {
  await setLimits(service, { streams: 0 });
  const refused = await service.call(`GET /api/v1/chat/stream?conversation_id=${conversationId}`, {
    key: person.token,
  });
  expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(refused.body.details).toBeUndefined();
  expect(refused.body.message).not.toMatch(/svc|operator|workspace/);
  await setLimits(service, { streams: 'default' });
});

it('an end user reads the newest messages of a conversation that has grown very long', async () => {
  const { conversationId: id } = await sayAs(service, person, { bot_id: botId, new_conversation: true });
  const grow = (count: number, characters: number) =>
    service.database.acrossWorkspaces.execute(sql`
      insert into messages (id, workspace_id, conversation_id, sequence, role, content, created_at)
      select gen_random_uuid(), workspace_id, id, (select max(sequence) from messages where conversation_id = conversations.id) + number,
        case number % 3 when 0 then 'tool' else 'user' end, lpad(number::text, ${characters}::int, '.'), now()
      from conversations, generate_series(1, ${count}::int) as number where id = ${id}`);
  const read = async (): Promise<string[]> => {
    const answer = await service.call(`GET /api/v1/conversations/${id}`, { key: person.token });
    return answer.body.messages.map(({ content }: { content: string }) => content);
  };
  await grow(400, 3);
  const many = await read();
  expect(many).toHaveLength(200);
  expect([many[0], many.at(-1)]).toEqual(['101', '400']);
  await grow(60, 30_000);
  const long = await read();
  expect(long).toHaveLength(17);
  expect(long.at(-1)).toMatch(/\.59$/);
});

it('an end user can name a conversation in upper case, as in the rest of the API', async () => {
  const stream = await chat.listen(conversationId.toUpperCase(), { key: person.token });
  expect(stream.status).toBe(200);
  await sayAs(service, person, { bot_id: botId, conversation_id: conversationId });
  await stream.until('turn.completed');
  stream.close();
});

it('an end user is sent a long log in order, though in small pages', async () => {
  const writer = await makePerson(service);
  for (const _ of upTo(8)) await sayAs(service, writer, { bot_id: botId });
  const [{ id }] = (await service.call('GET /api/v1/conversations', { key: writer.token })).body;
  const { body: detail } = await service.call(`GET /api/v1/conversations/${id}`, { key: writer.token });
  const stream = await chat.listen(id, { key: writer.token, after: 0 });
  await eventually(() => idsOf(stream.events)).toEqual(upTo(detail.last_event_id));
  expect(detail.last_event_id).toBeGreaterThan(20);
  stream.close();
});
