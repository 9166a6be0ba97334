import { describe, expect, it } from 'vitest';
import { planFromConfiguration } from './plan.ts';

const unlimited = { maxBots: null, configuredMaxBots: null, creditUsd: null, configuredCreditUsd: null };

describe('the plan from the environment', () => {
  it('changes nothing when nothing is asked', () => {
    expect(planFromConfiguration(unlimited, {})).toEqual({});
  });

  it('is applied the first time', () => {
    expect(planFromConfiguration(unlimited, { maxBots: 3, balanceUsd: '10' })).toEqual({
      maxBots: 3,
      configuredMaxBots: 3,
      creditUsd: '10',
      configuredCreditUsd: '10',
    });
  });

  it('leaves what the command line changed alone at the next start', () => {
    const stored = {
      maxBots: 9,
      configuredMaxBots: 3,
      creditUsd: '25.500000000',
      configuredCreditUsd: '10.000000000',
    };
    expect(planFromConfiguration(stored, { maxBots: 3, balanceUsd: '10.0' })).toEqual({});
  });

  it('moves credit by the difference when its value changes', () => {
    const stored = { maxBots: null, configuredMaxBots: null, creditUsd: '25.5', configuredCreditUsd: '10' };
    expect(planFromConfiguration(stored, { balanceUsd: '12' })).toEqual({
      creditUsd: '27.5',
      configuredCreditUsd: '12',
    });
  });

  it('lifts the limit when the variable is gone', () => {
    const stored = { maxBots: 3, configuredMaxBots: 3, creditUsd: '10', configuredCreditUsd: '10' };
    expect(planFromConfiguration(stored, {})).toEqual(unlimited);
  });
});
