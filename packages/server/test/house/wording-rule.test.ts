import { expect, it } from 'vitest';
import { wordingIsPlain } from './wording-rule.ts';

const check = (text: string, path = 'packages/server/src/bots/bots.service.ts') =>
  wordingIsPlain(new Map([[path, text]]));

it.each([
  ['// It can not be changed.', 'write cannot'],
  ['// It is kept, also when it fails.', 'even if'],
  ['/** What is no object is refused. */', 'is not a'],
  ['// Short ones are kept for who writes them.', 'a noun before who'],
  ['/** Who waits for memory holds none. */', 'a noun before who'],
  ['// A turn that fails is paid for all the same.', 'anyway'],
  ['// The turn goes on.', 'write continue'],
  ['/**\n * The turn goes\n * on.\n */', 'write continue'],
  ['const goOn = () => settle(true);', 'write continue'],
  ['// Propose it anew.', 'write again'],
  ['await processAnew(tx);', 'write again'],
  ['const sweep = createTakeUp(services);', 'what it does'],
  ['  async rest(workspaceId: string) {', 'deactivate'],
  ['// Nobody listens yet.', 'the actual subject'],
  ['// It is dropped while nobody is connected.', 'the actual subject'],
  ['/**\n * It stays until somebody else\n * subscribes.\n */', 'the actual subject'],
  ['// Given back if nobody has renewed it.', 'the actual subject'],
  ['const stepsAtOnce = 2;', 'concurrency'],
  ['const mostCharacters = 2;', 'max…'],
])('refuses %j', (text, words) => {
  const [first, ...others] = check(text);
  expect(first).toContain(words);
  expect(others).toEqual([]);
});

it('names the line of a document', () =>
  expect(check('# Keys\nA key can not be shown again.', 'docs/api.md')[0]).toContain('docs/api.md:2'));

it.each([
  '// There is no bot, it is no longer there, and callers who ask for one get a 404.',
  '/** Who may read it? A person who asks. */ const utmost = almostAll;',
  '// Nobody answered the approval, so somebody who may approve is asked by mail.',
  '// The first, and the rest (2), continue. const [a, ...rest] = takeUpdates();',
])('allows %j', (text) => expect(check(text)).toEqual([]));

it('leaves migrations as they are', () =>
  expect(check('-- can not', 'packages/server/src/database/migrations/0002-turns.sql')).toEqual([]));
