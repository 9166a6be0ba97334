import { expect, it } from 'vitest';
import { csvLine } from './csv.ts';

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '  =1', '\n=1', '＝1', '＋1', '－1', '＠1'])(
  'no spreadsheet runs %j',
  (text) => {
    expect(csvLine([text]).replace(/^"/, '')).toMatch(/^'/);
  },
);

it('quotes what would end a cell, and leaves the rest as it is', () => {
  expect(csvLine(['a,b', 'say "x"', 'two\nlines', 'plain - text', -5, null])).toBe(
    '"a,b","say ""x""","two\nlines",plain - text,-5,\r\n',
  );
});
