import { randomUUID } from 'node:crypto';
import { errorCodes } from '@svc/contract/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { resourcesOf } from '../http/resources.ts';
import { chatWith } from '../support/chat.ts';
import { makePerson, type Person, sayAs } from '../support/end-users.ts';
import { exampleOf, fillIds, isEventStream, type Operation, readOperations } from '../support/operations.ts';
import { type CallOptions, startTestApp, type TestApp } from '../support/test-app.ts';

/** What an end-user token can do. Every other operation of the API refuses it. */
const opened = [
  'POST /api/v1/chat/send-stream',
  'GET /api/v1/chat/stream',
  'GET /api/v1/chat/events',
  'POST /api/v1/chat/stop',
  'POST /api/v1/chat/typing',
  'POST /api/v1/attachments',
  'GET /api/v1/attachments/{id}',
  'GET /api/v1/conversations',
  'GET /api/v1/conversations/{id}',
  'POST /api/v1/conversations/{id}/messages/{message_id}/regenerate',
  'POST /api/v1/conversations/{id}/messages/{message_id}/edit',
  'PUT /api/v1/conversations/{id}/messages/{message_id}/rating',
  'GET /api/v1/conversations/{id}/branches',
  'PATCH /api/v1/conversations/{id}/branches',
];

let service: TestApp;
let operations: Operation[];
let botId: string;
let otherBotId: string;
let ann: Person;
let bob: Person;
let annsConversation: string;
const chat = chatWith(() => service);

beforeAll(async () => {
  service = await startTestApp();
  operations = (await readOperations(service)).filter(({ path }) => path.startsWith('/api/v1'));
  [botId, otherBotId] = [await chat.bot(), await chat.bot()];
  [ann, bob] = [await makePerson(service), await makePerson(service)];
  annsConversation = (await sayAs(service, ann, { bot_id: botId })).conversationId;
});
afterAll(() => service.stop());

const send = (operation: Operation, id: string, options: CallOptions) =>
  service.call(
    `${operation.method} ${fillIds(
      operation,
      resourcesOf(operation).map(() => id),
    )}`,
    {
      body: exampleOf(operation),
      headOnly: operation.method === 'GET' && isEventStream(operation),
      ...options,
    },
  );

/** Every operation that reads or stops one conversation, as a request of this token. */
const aboutConversation = (conversationId: string, key: string) => [
  service.call(`GET /api/v1/conversations/${conversationId}`, { key }),
  service.call(`GET /api/v1/chat/events?conversation_id=${conversationId}`, { key }),
  service.call(`GET /api/v1/chat/stream?conversation_id=${conversationId}`, { key, headOnly: true }),
  service.call('POST /api/v1/chat/stop', { key, body: { conversation_id: conversationId } }),
  service.call('POST /api/v1/chat/typing', { key, body: { conversation_id: conversationId } }),
  service.call('POST /api/v1/chat/send-stream', {
    key,
    body: { conversation_id: conversationId, message: 'Hello' },
    headOnly: true,
  }),
];
const statusesOf = async (conversationId: string, key: string) =>
  (await Promise.all(aboutConversation(conversationId, key))).map(({ status }) => status);

describe('an end-user token', () => {
  it('opens these operations, as the document says', () => {
    const documented = operations.filter(({ security }) => security.includes('end_user_token'));
    expect(documented.map(({ name }) => name).toSorted()).toEqual(opened.toSorted());
    expect(operations.length).toBeGreaterThan(50);
  });

  it('gets 403 from every other operation', async () => {
    for (const operation of operations.filter(({ name }) => !opened.includes(name))) {
      for (const id of [annsConversation, botId]) {
        const answer = await send(operation, id, { key: ann.token });
        expect.soft(answer, operation.name).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      }
    }
  });

  it("does not open another user's conversation", async () => {
    expect(await statusesOf(annsConversation, bob.token)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(await statusesOf(annsConversation, ann.token)).toEqual([200, 200, 200, 200, 204, 200]);
    expect((await service.call('GET /api/v1/conversations', { key: bob.token })).body).toEqual([]);
  });

  it('does not open a conversation of another channel, bot or workspace', async () => {
    const elsewhere = await service.makeWorkspace();
    const stranger = await makePerson(service, { key: elsewhere.key, userId: ann.userId });
    const bound = await makePerson(service, { userId: ann.userId, bot_id: otherBotId });
    for (const { token } of [stranger, bound]) {
      expect(await statusesOf(annsConversation, token)).toEqual([404, 404, 404, 404, 404, 404]);
      expect((await service.call('GET /api/v1/conversations', { key: token })).body).toEqual([]);
    }
    const { conversationId } = await chat.say({ bot_id: botId, external_user_id: bob.userId });
    for (const channel of ['widget', 'agent']) {
      await service.database.acrossWorkspaces.execute(
        sql`update conversations set channel = ${channel} where id = ${conversationId}`,
      );
      expect(await statusesOf(conversationId, bob.token)).toEqual([404, 404, 404, 404, 404, 404]);
      expect((await service.call('GET /api/v1/conversations', { key: bob.token })).body).toEqual([]);
    }
  });

  it('speaks for its own user only, who need not be named', async () => {
    const named = (userId: string) => [
      service.call(`GET /api/v1/conversations?external_user_id=${userId}`, { key: ann.token }),
      service.call(`GET /api/v1/conversations/${annsConversation}?external_user_id=${userId}`, {
        key: ann.token,
      }),
      service.call(`GET /api/v1/chat/events?conversation_id=${annsConversation}&external_user_id=${userId}`, {
        key: ann.token,
      }),
      service.call('POST /api/v1/chat/send-stream', {
        key: ann.token,
        body: { bot_id: botId, message: 'Hello', external_user_id: userId },
      }),
    ];
    for (const answer of await Promise.all(named(bob.userId))) {
      expect(answer).toMatchObject({ status: 403, body: { details: [{ path: 'external_user_id' }] } });
    }
    for (const answer of await Promise.all(named(ann.userId))) expect(answer.status).toBe(200);
    const stored = await service.call(`GET /api/v1/conversations/${annsConversation}`);
    expect(stored.body).toMatchObject({ external_user_id: ann.userId, channel: 'chat' });
  });

  it('cannot use what is for integrations', async () => {
    const fields = {
      metadata: { tier: 'gold' },
      code_machine_id: randomUUID(),
      code_workdir: '/tmp',
      code_mode: 'plan',
    };
    for (const [field, value] of Object.entries(fields)) {
      const body = { bot_id: botId, message: 'Hello', [field]: value };
      const answer = await service.call('POST /api/v1/chat/send-stream', { key: ann.token, body });
      expect(answer).toMatchObject({ status: 403, body: { details: [{ path: field }] } });
      expect(answer.body.message).toContain(field);
    }
    for (const query of ['metadata.tier=gold', 'channel=widget']) {
      const answer = await service.call(`GET /api/v1/conversations?${query}`, { key: ann.token });
      expect(answer).toMatchObject({ status: 403, body: { details: [{ path: query.split('=')[0] }] } });
    }
  });

  it('of one bot talks to that bot, and the others do not exist', async () => {
    const person = await makePerson(service, { bot_id: botId });
    const { conversationId } = await sayAs(service, person, {});
    const stored = await service.call(`GET /api/v1/conversations/${conversationId}`);
    expect(stored.body).toMatchObject({ bot_id: botId, external_user_id: person.userId });
    expect((await sayAs(service, person, { bot_id: botId.toUpperCase() })).conversationId).toBe(
      conversationId,
    );
    for (const operation of [
      service.call(`GET /api/v1/conversations?bot_id=${otherBotId}`, { key: person.token }),
      service.call('POST /api/v1/chat/send-stream', {
        key: person.token,
        body: { bot_id: otherBotId, message: 'Hello' },
      }),
    ]) {
      expect(await operation).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    }
    const list = await service.call('GET /api/v1/conversations', { key: person.token });
    expect(list.body.map(({ id }: { id: string }) => id)).toEqual([conversationId]);
  });
});

it('errors say nothing to end users about models, tools and machines', async () => {
  const bot = await chat.bot();
  await service.database.acrossWorkspaces.execute(
    sql`update bots set settings = settings || '{"model": "anthropic/claude-sonnet-4-5"}' where id = ${bot}`,
  );
  const body = { bot_id: bot, message: 'Hello' };
  const answer = await service.call('POST /api/v1/chat/send-stream', { key: ann.token, body });
  const { status, message } = errorCodes.NO_MODEL_CONFIGURED;
  expect(answer).toMatchObject({ status, body: { code: 'NO_MODEL_CONFIGURED', message } });
  expect(answer.body.details).toBeUndefined();
  const full = await service.call('POST /api/v1/chat/send-stream', {
    body: { ...body, external_user_id: ann.userId },
  });
  expect(full.body.message).toContain('anthropic');
});

it('an account key still has to name the user, with the same answer as before', async () => {
  const answer = await service.call('POST /api/v1/chat/send-stream', {
    body: { bot_id: botId, message: 'Hello' },
  });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'VALIDATION_FAILED',
      message: 'external_user_id is required.',
      details: [{ path: 'external_user_id', message: 'is required' }],
    },
  });
});

it('lists pages that lead on to the next one', async () => {
  const person = await makePerson(service);
  for (const _ of [1, 2, 3]) await sayAs(service, person, { bot_id: botId, new_conversation: true });
  const first = await service.call('GET /api/v1/conversations?limit=2', { key: person.token });
  expect(first.body).toHaveLength(2);
  const next = /<[^?]+(\?[^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  expect(next).not.toContain(person.userId);
  const second = await service.call(`GET /api/v1/conversations${next}`, { key: person.token });
  expect(second.body).toHaveLength(1);
  expect(second.headers.get('link')).toBeNull();
});

it('what end users get is part of the document', async () => {
  const saysNothing = ['POST /api/v1/chat/stop', 'POST /api/v1/chat/typing'];
  const answers = opened
    // These answer everybody the same.
    .filter((name) => !saysNothing.includes(name) && !/\/branches|\/attachments|\/rating/.test(name))
    .map((name) => operations.find((operation) => operation.name === name)?.responses['200']?.content);
  for (const content of answers) {
    const [{ schema } = { schema: {} }] = Object.values(content ?? {});
    expect(schema).toMatchObject({ anyOf: [expect.anything(), expect.anything()] });
    expect(JSON.stringify(schema)).toMatch(/#\/components\/schemas\/EndUser\w+"/);
  }
});

it('lets no page read anything unless its origin is listed', async () => {
  const origin = 'https://app.example.com';
  const headers = { origin, 'access-control-request-method': 'GET' };
  const answers = [
    await service.call('OPTIONS /api/v1/conversations', { key: null, headers }),
    await service.call('GET /api/v1/conversations', { key: ann.token, headers: { origin } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([204, 200]);
  for (const answer of answers) {
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});
