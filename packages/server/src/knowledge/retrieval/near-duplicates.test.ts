import { describe, expect, it } from 'vitest';
import { withoutNearDuplicates } from './near-duplicates.ts';

const drop = (texts: string[], limit = 10) => withoutNearDuplicates(texts, (text) => text, limit);

describe('near-duplicates', () => {
  const first = 'Returns are accepted within thirty days of delivery, unused and in the original carton.';

  it('keep the first of those that say the same', () => {
    const again = 'RETURNS are accepted within thirty days of delivery – unused, and in the original carton!';
    expect(drop([first, again, 'The office is closed on Sundays.'])).toEqual([
      first,
      'The office is closed on Sundays.',
    ]);
  });

  it('are not passages about the same thing', () => {
    const other = 'Returns of furniture are accepted within fourteen days and cost the carrier’s fee.';
    expect(drop([first, other])).toEqual([first, other]);
  });

  it('do not take the places of others', () => {
    expect(drop([first, first, first, 'Something else entirely.'], 2)).toEqual([
      first,
      'Something else entirely.',
    ]);
  });

  it('two without any word are the same', () => {
    expect(drop(['…', '!!!'])).toEqual(['…']);
  });
});
