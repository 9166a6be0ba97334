import { expect, it } from 'vitest';
import { createBus } from '../bus/create-bus.ts';
import { createLog } from '../lib/log.ts';
import { createConversationFeed, type ShareQuery } from './conversation-feed.ts';

it('lets the readers of a conversation share what they read while they catch up', async () => {
  const feed = createConversationFeed(createBus({ log: createLog({ level: 'silent', readable: false }) }));
  const queried: string[] = [];
  const read = (share: ShareQuery, page: string) =>
    share(page, () => {
      queried.push(page);
      return Promise.resolve(`${page} from the log`);
    });
  const got: string[] = [];
  const follow = (...pages: string[]) =>
    feed.subscribe('a', {
      onEvents: () => undefined,
      async catchUp(_lastSequence, share) {
        for (const page of pages) got.push(await read(share, page));
      },
      position: () => 0,
      onDeleted: () => undefined,
    });
  follow('first', 'second');
  follow('first', 'second');
  follow('second');

  await feed.catchUp('a', 7);
  expect(queried.toSorted()).toEqual(['first', 'second']);
  expect(got.toSorted()).toEqual([
    'first from the log',
    'first from the log',
    'second from the log',
    'second from the log',
    'second from the log',
  ]);

  // What one round has read may be outdated in the next.
  await feed.catchUp('a', 8);
  expect(queried.toSorted()).toEqual(['first', 'first', 'second', 'second']);
});
