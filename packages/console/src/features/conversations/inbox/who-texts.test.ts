import { expect, it } from 'vitest';
import { whoText } from './who-texts.ts';

it('names two people at most', () => {
  expect(whoText(['Ada'])).toEqual({ who: 'Ada', verb: 'is' });
  expect(whoText(['Ada', 'Grace'])).toEqual({ who: 'Ada and Grace', verb: 'are' });
  expect(whoText(['Teal Otter', 'Ada', 'Grace'])).toEqual({ who: 'Teal Otter and 2 others', verb: 'are' });
});
