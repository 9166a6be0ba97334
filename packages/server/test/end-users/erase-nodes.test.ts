import { afterAll, beforeAll, expect, it } from 'vitest';
import { conversationOf, type NodePair, startNodePair } from '../nodes/node-pair.ts';
import { eventually } from '../support/chat.ts';

let pair: NodePair;
beforeAll(async () => {
  pair = await startNodePair();
});
afterAll(() => pair.stop());

/** A conversation with one reply, made on the first node. */
async function answered(): Promise<string> {
  const sent = pair.send(pair.a);
  (await pair.model.next()).finish();
  const id = await conversationOf(sent);
  await sent.stream.closed;
  return id;
}

it('on any node: stops a turn that another runs, and ends its readers there', async () => {
  const id = await answered();
  const sent = pair.send(pair.b, { conversation_id: id });
  const asked = await pair.model.next();
  asked.write('Half');
  await eventually(sent.names).toContain('message.delta');
  const readers = [pair.follow(pair.a, id), pair.follow(pair.b, id)];
  for (const { names } of readers) await eventually(names).toContain('turn.started');
  const answer = await pair.a.call('DELETE /api/v1/end-users/u');
  expect(answer).toMatchObject({ status: 200, body: { deleted_conversations: 1 } });
  await asked.abandoned;
  for (const { stream } of [sent, ...readers]) await stream.closed;
  expect((await pair.b.call(`GET /api/v1/conversations/${id}`)).status).toBe(404);
});
