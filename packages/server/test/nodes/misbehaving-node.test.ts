import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSigning } from '../../src/bus/signing.ts';
import { sql } from '../../src/database/drizzle.ts';
import { transactionsNaming } from '../chat/watch-transactions.ts';
import { eventually } from '../support/chat.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { sharedKeyRing } from '../support/test-node.ts';
import { conversationOf, type NodePair, shown, startNodePair } from './node-pair.ts';

let redis: RedisServer;
let pair: NodePair;
beforeAll(async () => {
  redis = await startRedisServer();
  const environment = { REDIS_URL: redis.url };
  pair = await startNodePair({ environments: [environment, environment] });
});
afterAll(async () => {
  await pair.stop();
  await redis.stop();
});

/** A turn on A whose reply never ends, and a reader on B that previews it. */
async function begin() {
  const sender = pair.send(pair.a);
  const conversationId = await conversationOf(sender);
  const reader = pair.follow(pair.b, conversationId);
  const reply = await pair.model.next();
  reply.write('One');
  await eventually(() => [shown(sender), shown(reader)]).toEqual(['One', 'One']);
  return { sender, reader, reply, conversationId };
}

describe('previews of a turn that another node has to end are discarded', () => {
  it.each([
    {
      name: 'because it was left behind with a request to stop',
      mark: sql`stop_requested_at = now(), stop_requested_by = 'api'`,
      end: 'turn.interrupted',
    },
    {
      name: 'because it was tried too often',
      mark: sql`reply_ids = array_fill(gen_random_uuid(), array[19]) || reply_ids`,
      end: 'turn.failed',
    },
  ])('$name', async ({ mark, end }) => {
    const { sender, reader, conversationId } = await begin();
    await pair.store.database.acrossWorkspaces.execute(
      sql`update turns set node_id = null, ${mark} where conversation_id = ${conversationId}`,
    );
    await sender.stream.closed;
    await pair.expectWhole(reader);
    expect(reader.view.durable.map(({ event }) => event)).toEqual(['turn.started', end]);
    expect(sender.view).toMatchObject({ faults: [], previews: { size: 0 } });
    const late = pair.follow(pair.a, conversationId);
    await pair.expectWhole(late);
  });
});

const secret = 'what users wrote';
const broken = [
  secret,
  'null',
  '[null]',
  `[{"sequence":null,"turnId":null,"type":"message.delta","data":null,"x":"${secret}"}]`,
  `[{"sequence":null,"turnId":"t","type":"message.delta","data":{"message_id":"m","offset":0,"x":"${secret}"}}]`,
  '[{"sequence":null,"turnId":"t","type":"stream.snapshot","data":{"message_id":"m"}}]',
  '[{"sequence":2,"turnId":"t","type":"message.completed","data":{}}]',
  '[{"sequence":"2","turnId":"t","type":"turn.completed","data":{}}]',
  '[{"sequence":1000,"turnId":null,"type":"conversation.needs_human","data":{"needs_human":null}}]',
];
const brokenNotices = ['null', '{"listening":1}', '{"listening":[null]}', '5'];

it('readers are not affected by messages that make no sense, and those are not logged', async () => {
  const { sender, reader, reply, conversationId } = await begin();
  // As another release might send them, which has the same key.
  const signing = createSigning({ keyRing: sharedKeyRing });
  const publish = (channel: string, text: string) =>
    redis.command('PUBLISH', `svc:${channel}`, signing.sign(channel, `x ${text}`));
  for (const text of broken) await publish(`conversation:${conversationId}`, text);
  for (const text of brokenNotices) await publish('bus', text);
  const statements = await transactionsNaming(async () => {
    await sleep(300);
    return [conversationId];
  });
  expect(statements.length).toBeLessThan(10);
  reply.write(' two.');
  reply.finish();
  await sender.stream.closed;
  await pair.expectWhole(reader);
  const logged = [...pair.a.logged, ...pair.b.logged].join('\n');
  expect(logged).toContain('A message on the bus could not be');
  expect(logged).not.toContain(secret);
});
