import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/chat.ts';
import { createRandom } from '../support/faults/random.ts';
import type { PlayedReply } from '../support/hand-played-model.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { conversationOf, type NodePair, type Reading, startNodePair } from './node-pair.ts';

const seed = Number(process.env['JOIN_SEED'] ?? Date.now() % 2 ** 31);
const turns = 8;
const readersPerTurn = 12;
const maxReplyMilliseconds = 150;

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

it(`a reader on another node that joins at any moment of a turn sees it whole (JOIN_SEED=${seed})`, async () => {
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`JOIN_SEED=${seed}\n`);
  });
  const random = createRandom(seed);
  const play = async (reply: PlayedReply) => {
    const words = 5 + random.below(20);
    const pause = random.below(maxReplyMilliseconds / words);
    for (let word = 0; word < words; word += 1) {
      reply.write(`${word} `);
      if (pause > 0) await sleep(pause);
    }
    reply.finish();
  };
  pair.model.autoplay((reply) => void play(reply));
  for (let turn = 0; turn < turns; turn += 1) {
    const sender = pair.send(pair.a);
    const conversationId = await conversationOf(sender);
    const joinings = Array.from({ length: readersPerTurn }, async (): Promise<Reading> => {
      await sleep(random.below(maxReplyMilliseconds * 1.5));
      return pair.follow(random.below(4) === 0 ? pair.a : pair.b, conversationId);
    });
    await sender.stream.closed;
    for (const reader of await Promise.all(joinings)) {
      await eventually(() => reader.names()).toContain('turn.completed');
      await pair.expectWhole(reader);
      reader.stream.destroy();
    }
  }
  // A busy node may have been out of the other's reach for a while: nothing was missing.
  const faults = pair.b.logged.filter(
    (line) => /"level":(40|50)/.test(line) && !line.includes('is not connected to this Redis'),
  );
  expect(faults).toEqual([]);
});
