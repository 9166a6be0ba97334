import { describe, expect, it } from 'vitest';
import { splitIntoChunks } from './split.ts';

const split = (markdown: string, title: string | null = null) => splitIntoChunks(markdown, { title });
const sentence = (name: string) =>
  `This is sentence ${name}, and it says something about bees in the garden.`;
const paragraph = (name: string, count = 7) =>
  Array.from({ length: count }, (_, index) => sentence(`${name}${index}`)).join(' ');

describe('chunks', () => {
  it('carry the headings above them, and none reaches over one', () => {
    const chunks = split(
      'Before.\n\n# One\n\nIn one.\n\n## *Two* `x`\n\nIn two.\n\n### Three ###\n\nIn three.\n\n## [Four](http://a.b)\n\nIn four.\n\nFive\n====\n\nIn five.',
    );
    expect(chunks.map(({ headingPath, content }) => [headingPath.join(' > '), content])).toEqual([
      ['', 'Before.'],
      ['One', 'In one.'],
      ['One > Two x', 'In two.'],
      ['One > Two x > Three', 'In three.'],
      ['One > Four', 'In four.'],
      ['Five', 'In five.'],
    ]);
    expect(chunks.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('leave the title out of the path', () => {
    const chunks = split('# The Bees\n\nText.\n\n## Swarms\n\nMore.', 'the bees');
    expect(chunks.map(({ headingPath }) => headingPath)).toEqual([[], ['Swarms']]);
  });

  it('hold a heading that stands over nothing', () => {
    const chunks = split('# A\n\n## B\n\n## C\n\ntext\n\n# D');
    expect(chunks.map(({ content }) => content)).toEqual(['B', 'text', 'D']);
  });

  it('keep paragraphs whole where they fit, and begin with the last sentence of the one before', () => {
    const chunks = split(['a', 'b', 'c', 'd', 'e'].map((name) => paragraph(name)).join('\n\n'));
    expect(chunks).toHaveLength(3);
    expect(chunks[0]?.content).toBe(`${paragraph('a')}\n\n${paragraph('b')}`);
    expect(chunks[1]?.content).toBe(`${sentence('b6')}\n\n${paragraph('c')}\n\n${paragraph('d')}`);
    expect(chunks[2]?.content).toBe(`${sentence('d6')}\n\n${paragraph('e')}`);
  });

  it('divide a long paragraph between sentences', () => {
    const chunks = split(paragraph('a', 60));
    expect(chunks.length).toBeGreaterThan(3);
    for (const { content } of chunks) {
      expect(content).toMatch(/^This is sentence[^]*garden\.$/);
      expect(content.length).toBeGreaterThan(200);
    }
  });

  it('do not overlap over a heading', () => {
    const chunks = split(`# A\n\n${paragraph('a', 14)}\n\n# B\n\n${paragraph('b', 14)}`);
    const first = chunks.find(({ headingPath }) => headingPath[0] === 'B');
    expect(first?.content.startsWith(sentence('b0'))).toBe(true);
  });

  it('do not leave a few words alone at the end', () => {
    const chunks = split(`${paragraph('a', 15)}\n\nThe end.`);
    expect(chunks).toHaveLength(1);
    expect(chunks[0]?.content.endsWith('\n\nThe end.')).toBe(true);
  });
});

describe('lists', () => {
  it('are divided between items, which stay whole with what belongs to them', () => {
    const items = Array.from(
      { length: 16 },
      (_, index) => `- ${sentence(`${index}`)}\n  - nested ${index}\n    and on`,
    );
    const chunks = split(`Intro:\n\n${items.join('\n')}`);
    expect(chunks.length).toBeGreaterThan(1);
    for (const item of items) expect(chunks.some(({ content }) => content.includes(item))).toBe(true);
    for (const { content } of chunks.slice(1)) expect(content).toMatch(/^and on\n- This is/);
  });

  it('continue over an empty line, and end before a heading', () => {
    const chunks = split('1. a\n\n2. b\n\n   more of b\n# H\nc');
    expect(chunks.map(({ content }) => content)).toEqual(['1. a\n2. b\n   more of b', 'c']);
  });

  it('hold code without taking its comments for headings', () => {
    const chunks = split('- run\n  ```sh\n  # no heading\n\n  - no item\n  ```\n- done');
    expect(chunks).toHaveLength(1);
    expect(chunks[0]?.content).toContain('# no heading');
  });
});

describe('tables', () => {
  const rows = Array.from({ length: 80 }, (_, index) => `| name ${index} | value ${index} of the table |`);
  const head = '| Name | Value |\n| --- | --- |';

  it('are divided between rows, under their header each time', () => {
    const chunks = split(`Intro.\n\n${head}\n${rows.join('\n')}\n\nAfter.`);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { content } of chunks) expect(content).toContain(`${head}\n| name`);
    for (const row of rows) expect(chunks.filter(({ content }) => content.includes(row))).toHaveLength(1);
  });

  it('are left whole where they fit', () => {
    const table = `${head}\n${rows.slice(0, 26).join('\n')}`;
    expect(split(`${paragraph('a', 4)}\n\n${table}`).map(({ content }) => content)).toContain(table);
  });

  it('do not repeat a header that would fill the chunk', () => {
    const wide = `| ${'heading '.repeat(60)} | b |\n| --- | --- |`;
    const chunks = split(`${wide}\n${rows.join('\n')}`);
    expect(chunks.filter(({ content }) => content.includes('heading heading'))).toHaveLength(1);
  });
});

describe('code', () => {
  const code = (lines: number) =>
    `\`\`\`ts\n${Array.from({ length: lines }, (_, index) => `const value${index} = compute(${index});`).join('\n')}\n\`\`\``;

  it('stays whole where it fits', () => {
    const chunks = split(`${paragraph('a', 3)}\n\n${code(24)}\n\n${paragraph('b', 3)}`);
    expect(chunks.some(({ content }) => content.includes(code(24)))).toBe(true);
  });

  it('is fenced in every chunk', () => {
    const chunks = split(code(200));
    expect(chunks.length).toBeGreaterThan(3);
    for (const { content } of chunks) expect(content).toMatch(/^```ts\nconst [^]*;\n```$/);
  });

  it('is read to the end when it is not closed', () => {
    expect(split('```\n# a\n\nb').map(({ content }) => content)).toEqual(['```\n# a\n\nb\n```']);
  });
});
