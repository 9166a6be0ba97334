import { expect, it } from 'vitest';
import { exportsAreUsedOutsideTests } from './export-rule.ts';

const source = 'packages/server/src/bots/bots.service.ts';

it('an export that only a test uses is dead', () => {
  const files = new Map([
    [source, '/** A bot. */\nexport function findBot() {}\n'],
    ['packages/server/src/bots/bots.service.test.ts', 'findBot();'],
    ['packages/server/test/bots/bots.test.ts', 'findBot();'],
  ]);
  expect(exportsAreUsedOutsideTests(files)).toEqual([`${source}:2 exports findBot, which no source uses`]);
  files.set('packages/server/src/app.ts', 'findBot();');
  expect(exportsAreUsedOutsideTests(files)).toEqual([]);
});
