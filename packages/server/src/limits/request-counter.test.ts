import { expect, it } from 'vitest';
import { toCounted } from './request-counter.ts';

const key = { name: 'key', limit: 10, windowSeconds: 60 };
const workspace = { name: 'workspace', limit: 50, windowSeconds: 60 };

it('is of the quota with the least left', () => {
  const uses = (ofKey: number, ofWorkspace: number) => [
    { count: ofKey, millisecondsLeft: 1 },
    { count: ofWorkspace, millisecondsLeft: 2 },
  ];
  expect(toCounted(true, [key, workspace], uses(3, 4))).toMatchObject({ quota: key, count: 3 });
  expect(toCounted(true, [key, workspace], uses(3, 49))).toMatchObject({ quota: workspace, count: 49 });
  expect(toCounted(false, [key, workspace], uses(9, 50))).toMatchObject({ quota: workspace, count: 50 });
});

it('is of the quota that stays used up for longest', () => {
  const uses = (ofKey: number, ofWorkspace: number) => [
    { count: 10, millisecondsLeft: ofKey },
    { count: 50, millisecondsLeft: ofWorkspace },
  ];
  expect(toCounted(false, [key, workspace], uses(100, 200))).toMatchObject({ quota: workspace });
  expect(toCounted(false, [key, workspace], uses(200, 100))).toMatchObject({ quota: key });
});
