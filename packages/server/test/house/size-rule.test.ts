import { expect, it } from 'vitest';
import { fileNamesAreUnique, filesStayShort, functionsStayShort } from './size-rule.ts';

const server = 'packages/server/src';
const lines = (count: number) => 'x;\n'.repeat(count);
const named = (path: string, source = '') => new Map([[`${server}/${path}`, source]]);

it('files have at most 500 lines, except tables', () => {
  expect(filesStayShort(named('turns/turn-loop.ts', lines(501)))).toHaveLength(1);
  expect(filesStayShort(named('turns/turn-loop.ts', lines(500)))).toEqual([]);
  expect(filesStayShort(named('bots/bots.tables.ts', lines(501)))).toEqual([]);
});

it('functions have at most 80 lines besides the functions in them, except factories', () => {
  const body = '  x;\n'.repeat(79);
  const inner = `  function inner(): void {\n${'    x;\n'.repeat(70)}  }\n`;
  const check = (source: string) => functionsStayShort(named('turns/step.ts', `// A step.\n${source}`));
  expect(check(`function step() {\n${body}}\n`)).toEqual([
    `${server}/turns/step.ts:2 step has 81 lines of its own, more than 80: split it`,
  ]);
  expect(check(`function step() {\n${body.slice(5)}}\n`)).toEqual([]);
  expect(check(`function step() {\n${inner}${inner}}\n`)).toEqual([]);
  expect(check(`export function createStep() {\n${body}}\n`)).toEqual([]);
});

it('file names are unique', () => {
  const files = new Map([...named('bots/registry.ts'), ...named('tools/registry.ts')]);
  expect(fileNamesAreUnique(files)).toHaveLength(1);
  expect(fileNamesAreUnique(named('bots/registry.ts'))).toEqual([]);
});
