import { expect, it } from 'vitest';
import { parseLine } from './list-with-ps.ts';

it('reads the lines that ps prints on macOS', () => {
  const marker = 'SVC_MACHINE_OPERATION=7';
  expect(parseLine('  501     1   501 S    /bin/sleep 60 PATH=/bin SVC_MACHINE_OPERATION=7', marker)).toEqual(
    [{ pid: 501, parent: 1, group: 501, isMarked: true }],
  );
  expect(parseLine('502 501 501 Ss+ sh SVC_MACHINE_OPERATION=71', marker)).toMatchObject([
    { isMarked: false },
  ]);
  expect(parseLine('503 501 501 Z (sh)', marker)).toEqual([]);
  expect(parseLine('', marker)).toEqual([]);
});
