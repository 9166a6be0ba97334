import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { connectLive, openLive, refusalOf } from '../console/support/live-client.ts';
import { isWebSocket } from '../http/operation-traits.ts';
import { ownPageHeaders } from '../http/own-page.ts';
import { connectMachine } from '../support/machine-client.ts';
import { openSse, type SseReader } from '../support/sse-client.ts';
import { createCall } from '../support/test-app.ts';
import { socketsLeftOut, writesLeftOut } from './exceptions.ts';
import { fillWorkspace } from './fill-workspace.ts';
import type { MarkedWorkspace } from './marked-workspace.ts';
import { forbiddenOf, openStage, type Stage } from './walk.ts';
import { write, writesOf } from './writes.ts';

/**
 * Everything that stays open in the first workspace, while every operation that writes is called in the second. What is stored and
 * sent at the beginning of a stream is in reads.test.ts.
 */
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  await fillWorkspace(stage, stage.first);
  await fillWorkspace(stage, stage.second);
});
afterAll(() => stage?.stop());

describe('the first workspace', () => {
  it('has a socket for every operation with one, or there is a reason why not', () => {
    const sockets = stage.operations.filter(isWebSocket).map(({ name }) => name);
    expect(sockets).toEqual([
      'GET /api/machines/connect',
      'GET /api/widget/voice/connect',
      'GET /api/console/live',
    ]);
    expect(sockets).toEqual(expect.arrayContaining(Object.keys(socketsLeftOut)));
  });

  it('is sent nothing on its streams and sockets of what happens in the second', async () => {
    const { service, operations, first, second } = stage;
    const { url } = service;
    const place = { bot_id: await makeBot(first), external_user_id: 'listener' };
    const [chat, visit] = [await say(first, place), await sayOnPage(first, {})];
    const theirs = second.ids['conversations'] ?? [];

    const live = await openLive(url, first.owner);
    live.send({ type: 'follow', conversation_id: chat });
    const followed = theirs.slice(0, 3);
    for (const id of followed) live.send({ type: 'follow', conversation_id: id, after: 0 });
    const streams: SseReader[] = [
      await openSse(`${url}/api/v1/chat/stream?conversation_id=${chat}`, { key: first.key }),
      await openSse(`${url}/api/widget/stream?conversation_id=${visit}&key=${first.page.widgetKey}`, {
        key: first.page.visitorToken,
        headers: ownPageHeaders,
      }),
    ];
    const machine = await connectMachine(url, first.machineKey);

    for (const request of writesOf(operations, url, second, first).own)
      if (!(request.operation.name in writesLeftOut)) await write(stage.send, request);

    // What was sent to the others arrives before the answer to this.
    await say(first, { ...place, conversation_id: chat });
    await sayOnPage(first, { conversation_id: visit });
    for (const stream of streams) await stream.until('turn.completed');
    await live.next({ type: 'event', event: 'turn.completed', conversation_id: chat });
    await live.next({ type: 'changed', object: 'conversation', id: chat });
    for (const id of followed)
      await live.next({ type: 'unfollowed', conversation_id: id, code: 'NOT_FOUND' });

    const forbidden = await forbiddenOf(stage, second);
    const received = [
      ...live.received.filter(({ type }) => type !== 'unfollowed'),
      ...streams.flatMap(({ events }) => events),
      ...machine.received,
    ].map((message) => JSON.stringify(message));
    expect(received.filter((message) => forbidden.in(message).length > 0)).toEqual([]);
    expect(received.filter((message) => message.includes(chat)).length).toBeGreaterThan(0);
    for (const stream of streams) stream.close();
    live.socket.terminate();
    await machine.close();
  });

  it('cannot follow the second as a whole', async () => {
    const { service, first, second } = stage;
    const elsewhere = { cookie: first.owner.cookie, workspaceId: second.id };
    const client = connectLive(service.url, elsewhere);
    expect(await refusalOf(client)).toBe(403);
    client.socket.terminate();
  });

  it('cannot take a call of the second', async () => {
    const { service, first, second } = stage;
    for (const token of second.ids['voice-sessions'] ?? []) {
      const query = `key=${first.page.widgetKey}&session_token=${token}`;
      const socket = new WebSocket(`${service.url.replace('http', 'ws')}/api/widget/voice/connect?${query}`, {
        headers: { ...ownPageHeaders, origin: service.url },
      });
      const refused = await new Promise<number | undefined>((resolve) => {
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
        socket.on('open', () => resolve(undefined));
        socket.on('error', () => undefined);
      });
      expect(refused).toBe(404);
      socket.terminate();
    }
  });
});

async function makeBot({ key }: MarkedWorkspace): Promise<string> {
  const body = { name: 'Listener', system_prompt: 'x' };
  return (await createCall(stage.service.url, key)('POST /api/v1/bots', { body })).body.id;
}

async function say({ key }: MarkedWorkspace, place: object): Promise<string> {
  const body = { message: 'Hello', ...place };
  return conversationIn(await createCall(stage.service.url, key)('POST /api/v1/chat/send-stream', { body }));
}

async function sayOnPage({ key, page }: MarkedWorkspace, place: object): Promise<string> {
  const sent = { key: page.visitorToken, headers: ownPageHeaders, body: { message: 'Hello', ...place } };
  const call = createCall(stage.service.url, key);
  return conversationIn(await call(`POST /api/widget/messages?key=${page.widgetKey}`, sent));
}

function conversationIn({ status, body }: { status: number; body: unknown }): string {
  expect({ status, body }).toMatchObject({ status: 200 });
  return /"conversation_id":"([^"]+)"/.exec(String(body))?.[1] ?? 'no conversation';
}
