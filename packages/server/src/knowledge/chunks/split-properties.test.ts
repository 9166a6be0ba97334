import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs, sampleOf } from '../../../test/support/sample.ts';
import { packSection } from './pack-section.ts';
import { bound } from './sizes.ts';
import { splitIntoChunks } from './split.ts';

const squash = (text: string) => text.replaceAll(/\s+/g, '');

/** Words that occur once, so that each can be looked for. */
const words = (most: number) =>
  fc.array(fc.constantFrom('bee', 'Garten', '蜂蜜', 'пчела', 'x'.repeat(300), '🐝', 'a.', '蜂。'), {
    minLength: 1,
    maxLength: most,
  });
const block = fc.oneof(
  fc.record({ kind: fc.constantFrom('# ', '## ', '### '), words: words(5) }),
  fc.record({
    kind: fc.constantFrom('', '- ', '1. ', '> ', '```\n', '| a | b |\n| - | - |\n| '),
    words: words(400),
  }),
);

function write(blocks: { kind: string; words: string[] }[]): { markdown: string; names: string[] } {
  const names: string[] = [];
  const texts = blocks.map(({ kind, words: given }) => {
    const numbered = given.map((word) => {
      names.push(`n${names.length}n`);
      return `${names.at(-1)} ${word}`;
    });
    const separator = kind.startsWith('```')
      ? '\n'
      : kind.startsWith('|')
        ? ' | x |\n| '
        : kind === '- '
          ? '\n- '
          : ' ';
    return kind + numbered.join(separator) + (kind.startsWith('```') ? '\n```' : '');
  });
  return { markdown: texts.join('\n\n'), names };
}

describe('whatever the text', () => {
  it('nothing of it is lost, in order, and no chunk is too large', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
        const { markdown, names } = write(blocks);
        const chunks = splitIntoChunks(markdown, { title: null });
        const found = new Set<string>();
        for (const { headingPath, content } of chunks) {
          for (const name of `${headingPath.join(' ')} ${content}`.match(/n\d+n/g) ?? []) found.add(name);
        }
        expect([...found]).toEqual(names);
        checkBounds(chunks);
      }),
      runs(80),
    );
  });

  it('characters stay whole and in order, whichever they are', () => {
    const unit = fc.constantFrom<'binary' | 'grapheme'>('binary', 'grapheme');
    const text = unit.chain((kind) => fc.string({ unit: kind, minLength: 1, maxLength: 6_000, size: 'max' }));
    fc.assert(
      fc.property(text, (given) => {
        const written = given.toWellFormed();
        const packed = packSection([{ kind: 'paragraph', head: '', parts: [written], tail: '' }]);
        expect(squash(packed.map(({ own }) => own).join(''))).toBe(squash(written));
        for (const { overlap, own } of packed) expect((overlap + own).isWellFormed()).toBe(true);
      }),
      runs(40),
    );
  });

  it('bounds hold for anything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000, size: 'max' }), (given) => {
        checkBounds(splitIntoChunks(given.toWellFormed(), { title: null }));
      }),
      runs(40),
    );
  });

  function checkBounds(chunks: ReturnType<typeof splitIntoChunks>): void {
    for (const [index, { position, content, tokenCount, headingPath }] of chunks.entries()) {
      expect(position).toBe(index);
      expect(content.trim()).not.toBe('');
      expect(content.length).toBeLessThanOrEqual(bound.characters);
      expect(tokenCount).toBeLessThanOrEqual(bound.tokens);
      expect(content.isWellFormed() && headingPath.every((heading) => heading.isWellFormed())).toBe(true);
    }
  }
});

/** With the square of their length in time, these would take many minutes. */
describe('long texts of one kind', () => {
  const pieces = [
    'a',
    'ab ',
    '.',
    '. ',
    '漢',
    '漢字。',
    '|',
    '|-',
    '-\n',
    '- a\n',
    '#',
    '```',
    '```\n',
    '`',
    '\n',
    ' ',
    '> ',
  ];
  const others = [
    '|a|\n|-|\n',
    '\u0301',
    '👩‍👩‍👧',
    '=',
    '*',
    '[a](',
    '<|endoftext|>',
    'Zm9vYmFy',
    '0',
    '1. ',
    '~~~\n',
    ' -',
    '"',
  ];
  it.each(sampleOf([...pieces, ...others], 5))('300 kB of %j comes to an end', (piece) => {
    const text = piece.repeat(300_000 / piece.length);
    const chunks = splitIntoChunks(text, { title: null });
    for (const { content, tokenCount } of chunks) {
      if (content.length > bound.characters || tokenCount > bound.tokens) expect.unreachable(content);
    }
  });
});
