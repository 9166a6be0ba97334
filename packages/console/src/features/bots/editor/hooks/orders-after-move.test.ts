import { expect, it } from 'vitest';
import { ordersAfterMove } from './orders-after-move.ts';

const hooks = [
  { id: 'a', run_order: 0 },
  { id: 'b', run_order: 0 },
  { id: 'c', run_order: 7 },
];

it('renumbers hooks where it has to', () => {
  expect(ordersAfterMove(hooks, 1, -1)).toEqual([
    ['a', 1],
    ['c', 2],
  ]);
  expect(ordersAfterMove(hooks, 1, 1)).toEqual([
    ['c', 1],
    ['b', 2],
  ]);
});

it('moves nothing beyond the ends', () => {
  expect(ordersAfterMove(hooks, 0, -1)).toEqual([]);
  expect(ordersAfterMove(hooks, 2, 1)).toEqual([]);
});
