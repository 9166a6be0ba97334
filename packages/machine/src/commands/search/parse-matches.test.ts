import { expect, it } from 'vitest';
import { type Match, MatchParser } from './parse-matches.ts';

function parse(chunks: readonly Buffer[]): Match[] {
  const matches: Match[] = [];
  const parser = new MatchParser((match) => matches.push(match));
  for (const chunk of chunks) parser.push(chunk);
  return matches;
}

it('reads matches from chunks of any size', () => {
  const output = Buffer.from('./a.ts\x0012:const a: number = 1;\n./folder/line\nbreak\x003:é\r\nb\x001:\n');
  const expected = [
    { path: 'a.ts', line: 12, text: 'const a: number = 1;' },
    { path: 'folder/line\nbreak', line: 3, text: 'é' },
    { path: 'b', line: 1, text: '' },
  ];
  for (let size = 1; size <= output.length; size++) {
    const chunks = Array.from({ length: Math.ceil(output.length / size) }, (_, index) =>
      output.subarray(index * size, (index + 1) * size),
    );
    expect(parse(chunks)).toEqual(expected);
  }
});

it('drops lines without an end', () => {
  const endless = Array.from({ length: 100 }, () => Buffer.alloc(10_000, 'x'));
  expect(parse([...endless, Buffer.from('\nfile\x001:x\n')])).toHaveLength(1);
});

it('leaves out what ripgrep reports about binary files', () => {
  const notices = [
    './a: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n',
    './b: binary file matches (found "\\0" byte around offset 9)\n',
  ];
  const output = `./a\x001:x\n${notices.join('')}./c\x002:y\n`;
  expect(parse([Buffer.from(output)])).toEqual([
    { path: 'a', line: 1, text: 'x' },
    { path: 'c', line: 2, text: 'y' },
  ]);
});
