import { setImmediate as nextRead } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { joinWithinTick } from './join-within-tick.ts';

function joinTexts() {
  const passed: string[] = [];
  const joiner = joinWithinTick<string>(
    (earlier, later) => earlier + later,
    (text) => passed.push(text),
  );
  return { passed, joiner };
}

it('passes on as one what is added in one tick', async () => {
  const { passed, joiner } = joinTexts();
  for (const text of ['a', 'b', 'c']) joiner.add(text);
  expect(passed).toEqual([]);
  await nextRead();
  expect(passed).toEqual(['abc']);
  joiner.add('d');
  await nextRead();
  expect(passed).toEqual(['abc', 'd']);
});

it('passes on early what something else must follow, and only once', async () => {
  const { passed, joiner } = joinTexts();
  joiner.add('a');
  joiner.flush();
  expect(passed).toEqual(['a']);
  joiner.add('b');
  await nextRead();
  joiner.flush();
  expect(passed).toEqual(['a', 'b']);
});
