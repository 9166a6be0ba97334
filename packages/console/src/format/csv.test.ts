import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

test('cells are quoted where needed and never run as a formula', () => {
  expect(
    toCsv(
      ['Bot', 'Cost'],
      [
        ['Say "hi", Ada', '-0.5'],
        ['=SUM(A1)', null],
        ['-cmd', 3],
      ],
    ),
  ).toBe('Bot,Cost\r\n"Say ""hi"", Ada",-0.5\r\n\'=SUM(A1),\r\n\'-cmd,3\r\n');
});
