import { expect, test } from 'vitest';
import { knownCost, knownCostOf, noCost, sumCosts, wireCost } from './known-cost.ts';

const telephone = knownCost('twilio/telephone', 1_360_000_000n);
const unknown = knownCost('openai/new', null);

test('a model without a price does not hide what the others cost', () => {
  expect(wireCost(sumCosts([unknown, telephone, unknown]))).toEqual({
    cost_usd: '1.36',
    unpriced_models: ['openai/new'],
  });
});

test('the cost is null only if nothing of it is known', () => {
  expect(wireCost(sumCosts([unknown]))).toEqual({ cost_usd: null, unpriced_models: ['openai/new'] });
  expect(wireCost(noCost)).toEqual({ cost_usd: '0', unpriced_models: [] });
  expect(wireCost(knownCostOf({ model: 'local/free', costUsd: '0' }))).toEqual({
    cost_usd: '0',
    unpriced_models: [],
  });
});
