import { describe, expect, it } from 'vitest';
import { layOutLines } from './lay-out-lines.ts';
import { gatherLines, type Line } from './lines.ts';
import { withPlainLetters } from './reading-order.ts';

const line = (text: string, y: number, size = 10, x = 50): Line => ({ text, x, y, size });
const page = (...lines: Line[]) => ({ height: 800, lines });

describe('pieces of a line', () => {
  const piece = (text: string, x: number, y = 100, endsLine = false) => ({
    text,
    x,
    y,
    width: text.length * 5,
    size: 10,
    endsLine,
  });
  it('are put together, with a space where there is one', () => {
    const lines = gatherLines([
      piece('Hel', 0),
      piece('lo', 15),
      piece('bees', 40),
      piece('next', 0, 88),
      piece(' ', 20, 88, true),
      piece('x', 0, 76),
    ]);
    expect(lines.map(({ text }) => text)).toEqual(['Hello bees', 'next', 'x']);
  });

  const order = (...pieces: ReturnType<typeof piece>[]) => gatherLines(pieces).map(({ text }) => text);

  it('are read from right to left in Arabic and Hebrew, in whatever order they are drawn', () => {
    const [third, second, first] = [piece('العربية', 0), piece('الخطوط', 40), piece('انواع', 75)];
    expect(order(third, second, first)).toEqual(['انواع الخطوط العربية']);
    expect(order(first, second, third)).toEqual(['انواع الخطوط العربية']);
    const above = piece('שלום', 0, 112);
    expect(order(above, third, second, first)).toEqual(['שלום', 'انواع الخطوط العربية']);
  });

  it('stay from left to right where they are numbers or words of other scripts, and the other way round', () => {
    expect(
      order(piece('פתוחה', 0), piece('Shop', 30), piece('My', 60), piece('9:00', 80), piece('בשעה', 110)),
    ).toEqual(['בשעה Shop My 9:00 פתוחה']);
    expect(order(piece('word', 0), piece('עולם', 30), piece('שלום', 60), piece('means hello', 90))).toEqual([
      'word שלום עולם means hello',
    ]);
  });

  it('have their brackets turned where that pairs them, and the end of the line is not one of them', () => {
    const pieces = [piece('.', 5), piece('(', 10), piece('חדש', 15), piece(')', 30), piece('ספר', 40)];
    expect(order(...pieces, piece('', 25, 88, true))).toEqual(['ספר (חדש).']);
    const named = [piece('.', 5), piece(')', 10), piece('חדש', 15), piece('(', 30), piece('ספר', 40)];
    expect(order(...named)).toEqual(['ספר (חדש).']);
  });

  it('may be very many', () => {
    const [only] = gatherLines(Array.from({ length: 300_000 }, (_, index) => piece('ab', index * 10)));
    expect(only?.text).toHaveLength(600_000);
  });
});

describe('letters', () => {
  it.each([
    ['ﺍﻟﻌﺮﺑﻴﺔ', 'العربية'],
    ['\ufef7\ufe70', 'لأ\u064b'],
    ['ﬁnd µ', 'find µ'],
  ])('of %s are those that people type', (drawn, typed) => expect(withPlainLetters(drawn)).toBe(typed));
});

describe('lines', () => {
  it('become headings, paragraphs and items', () => {
    const text = layOutLines([
      page(
        line('Big', 750, 24),
        line('heading', 724, 24),
        line('Small', 690, 14),
        line('One para-', 670),
        line('graph ends.', 658),
      ),
      page(
        line('Another starts', 750),
        line('and continues.', 738),
        line('New', 700),
        line('• item', 680),
        line('wrapped', 668),
        line('1) two', 656),
      ),
    ]);
    expect(text).toBe(
      '# Big heading\n\n## Small\n\nOne paragraph ends.\n\nAnother starts and continues.\n\nNew\n\n- item wrapped\n1) two',
    );
  });

  it('that begin further in begin a paragraph', () => {
    const text = layOutLines([
      page(line('First one.', 700), line('Second one', 688, 10, 70), line('continues.', 676)),
    ]);
    expect(text).toBe('First one.\n\nSecond one continues.');
  });

  it('of Chinese are joined without a space', () => {
    expect(layOutLines([page(line('蜜蜂住在', 700), line('蜂箱里。', 688))])).toBe('蜜蜂住在蜂箱里。');
  });

  it('that every page repeats in its margin are left out', () => {
    const pages = [1, 2, 3, 4].map((number) =>
      page(line('Header', 780), line(`Text ${number}.`, 700), line('Header', 500), line(`- ${number} -`, 20)),
    );
    expect(layOutLines(pages)).not.toMatch(/- \d -/);
    expect(layOutLines(pages).match(/Header/g)).toHaveLength(4);
    expect(layOutLines(pages.slice(0, 2))).toContain('- 1 -');
  });

  it('that look like marks are no marks', () => {
    expect(layOutLines([page(line('# not a heading', 700))])).toBe(String.raw`\# not a heading`);
  });
});
