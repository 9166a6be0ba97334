import { expect, it } from 'vitest';
import { readEnvelope } from './read-envelope.ts';

it('ends at the last line only, not at a line of the file that looks like it', () => {
  const [section] = readEnvelope(
    [
      '*** Begin Patch',
      '*** Update File: a.md',
      '@@',
      '-one',
      '+1',
      ' *** End Patch',
      '@@',
      '-two',
      '+2',
      '*** End Patch  ',
      'Done.',
    ].join('\n'),
  );
  expect(section?.hunks.map(({ lines }) => lines)).toEqual([
    ['-one', '+1', ' *** End Patch'],
    ['-two', '+2'],
  ]);
});
