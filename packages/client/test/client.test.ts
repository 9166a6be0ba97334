import { join } from 'node:path';
import { ApiError } from '@svc/client/api-error';
import { applyEvent, stateOf } from '@svc/client/conversation';
import { createClient } from '@svc/client/create-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../server/test/support/test-app.ts';
import { generateTypes, type OpenApiDocument } from '../generate-types.ts';

let service: TestApp;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  service = await startTestApp();
  client = createClient({ baseUrl: `${service.url}/`, key: service.key });
});
afterAll(() => service.stop());

it('has the types of the API as it is: npm run generate -w @svc/client writes them', async () => {
  const document = await fetch(`${service.url}/openapi.json`);
  const types = generateTypes((await document.json()) as OpenApiDocument);
  await expect(types).toMatchFileSnapshot(join(import.meta.dirname, '../src/api-types.ts'));
});

it('holds a conversation, and resumes its events where they ended', async () => {
  const bot = await client.request('POST /api/v1/bots', {
    body: { name: 'Host', system_prompt: 'You are a friendly host.' },
  });
  const body = { bot_id: bot.id, external_user_id: 'me', message: 'Hello!' };
  let state = stateOf({ status: 'idle', needs_human: null, messages: [] }, 0);
  let conversationId = '';
  for await (const event of client.events('POST /api/v1/chat/send-stream', { body })) {
    if (event.type === 'turn.started') conversationId = event.data.conversation_id;
    state = applyEvent(state, event);
  }
  const conversation = await client.request('GET /api/v1/conversations/{id}', {
    path: { id: conversationId },
  });
  expect(conversation.messages).toMatchObject([{ content: 'Hello!' }, { role: 'assistant' }]);
  expect(state).toMatchObject({ conversation: { messages: conversation.messages }, preview: null });

  const log = await client.request('GET /api/v1/chat/events', {
    query: { conversation_id: conversationId },
  });
  const [first, second] = log;
  const follow = client.events('GET /api/v1/chat/stream', {
    query: { conversation_id: conversationId },
    header: { 'last-event-id': String(first?.id) },
  });
  for await (const { id, type } of follow) {
    expect({ id, event: type }).toEqual({ id: second?.id, event: second?.event });
    break;
  }
});

it('writes names into addresses as they are', async () => {
  const path = { external_user_id: 'a/b?c=ü' };
  const revoked = await client.request('POST /api/v1/end-users/{external_user_id}/revoke', { path });
  expect(revoked).toEqual({ message: expect.any(String) });
});

it('throws what the service answers instead', async () => {
  const query = { conversation_id: 'x' };
  const failure = await client.request('GET /api/v1/chat/events', { query }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', requestId: expect.any(String) });
  await expect(client.events('GET /api/v1/chat/stream', { query }).next()).rejects.toThrow(ApiError);
  const stranger = createClient({ baseUrl: service.url, key: 'svc_sk_wrong' });
  await expect(stranger.request('GET /api/v1/bots')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
