import { expect, it } from 'vitest';
import { createLane } from './lane.ts';

it('runs so much at a time, in order, even after failures', async () => {
  const lane = createLane(2);
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const results = works.map(({ promise }, index) =>
    lane(async () => {
      begun.push(index);
      await promise;
      return index;
    }),
  );
  await expect.poll(() => begun).toEqual([0, 1]);
  works[1]?.reject(new Error('broken'));
  await expect(results[1]).rejects.toThrow('broken');
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const { resolve } of works) resolve();
  expect(await Promise.all([results[0], ...results.slice(2)])).toEqual([0, 2, 3, 4]);
});
