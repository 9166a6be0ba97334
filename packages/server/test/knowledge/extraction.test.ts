import { describe, expect, it } from 'vitest';
import { createExtractor } from '../../src/knowledge/extraction/extract.ts';
import { startBrowser } from '../support/browser.ts';
import { readHere } from './document-reader.ts';
import { makeDocx, makePdf, type PdfLine } from './documents.ts';

const read = (filename: string | null, bytes: Uint8Array | string, others = {}) =>
  readHere({ filename, bytes, ...others });
const sentence = 'Bees are kept in hives, and hives stand in gardens, where it is warm. ';

describe('a Word document', () => {
  it('keeps headings, lists, tables and links', async () => {
    expect(await read('a.docx', await makeDocx())).toEqual({
      title: 'Keeping bees',
      markdown: [
        '# Keeping bees',
        '# The hive',
        'A hive has **frames** & a lid.',
        '## In winter',
        '-   Leave them alone\n-   Listen once a month',
        '| Month | Work |\n| --- | --- |\n| May | Swarms |\n| June | Honey \\| wax |',
        '[More](https://bees.example/more)Local',
      ].join('\n\n'),
    });
  });

  it('takes its title from its properties', async () => {
    expect(await read('a.docx', await makeDocx('Bees & more'))).toMatchObject({ title: 'Bees & more' });
  });
});

describe('a PDF without structure', () => {
  const body = (text: string, y: number): PdfLine => ({ text, y });
  const page = (number: number, ...lines: PdfLine[]): PdfLine[] => [
    { text: 'The Handbook of Bees', y: 810, size: 9 },
    ...lines,
    { text: `Page ${number} of 3`, y: 30, size: 9 },
  ];

  it('gets headings from font sizes, paragraphs from gaps, and drops what each page repeats', async () => {
    const bytes = await makePdf(
      [
        page(
          1,
          { text: 'Keeping bees', y: 740, size: 24 },
          body('A hive stands in the gar-', 700),
          body('den, and it is warm.', 686),
        ),
        page(
          2,
          { text: 'In winter', y: 740, size: 16 },
          body('Leave them alone.', 700),
          body('Listen once', 672),
          body('a month. This continues', 658),
        ),
        page(
          3,
          body('over the page.', 740),
          body('• first', 712),
          body('• second', 698),
          body('1. third', 684),
        ),
      ],
      'Handbook',
    );
    expect(await read('a.pdf', bytes)).toEqual({
      title: 'Handbook',
      pages: 3,
      markdown: [
        '# Keeping bees',
        'A hive stands in the garden, and it is warm.',
        '## In winter',
        'Leave them alone.',
        'Listen once a month. This continues over the page.',
        '- first\n- second\n1. third',
      ].join('\n\n'),
    });
  });

  it('ignores a title that a program generated', async () => {
    const bytes = await makePdf([[body('Text.', 700)]], 'Microsoft Word - Document1.docx');
    expect(await read('a.pdf', bytes)).toEqual({ title: null, pages: 1, markdown: 'Text.' });
  });
});

describe('a PDF that a browser printed', () => {
  const rows = Array.from(
    { length: 60 },
    (_, index) => `<tr><td>Hive ${index}</td><td>${index} kg</td></tr>`,
  );
  const html = `<html lang="en"><title>Printed bees</title><h1>Keeping bees</h1><p>${sentence.repeat(8)}</p><h2>In winter</h2>
    <ul><li>Leave them <b>alone</b></li><li>Listen<ol><li>once a month</li></ol></li></ul>
    <table><thead><tr><th>Name</th><th>Honey</th></tr></thead>${rows.join('')}</table><p>The end.</p></html>`;

  it('keeps its structure, even across pages', async () => {
    const { tagged, untagged } = await print(html);
    const found = await read('a.pdf', tagged);
    expect(found).toMatchObject({ title: 'Printed bees' });
    expect(found.pages).toBeGreaterThan(1);
    expect(found.markdown).toBe(
      [
        '# Keeping bees',
        sentence.repeat(8).trim(),
        '## In winter',
        '- Leave them alone\n- Listen\n    1. once a month',
        `| Name | Honey |\n| --- | --- |\n${rows.map((_, index) => `| Hive ${index} | ${index} kg |`).join('\n')}`,
        'The end.',
      ].join('\n\n'),
    );
    const plain = await read('a.pdf', untagged);
    expect(plain.markdown).toContain('# Keeping bees\n\nBees are kept');
    expect(plain.markdown).toContain('## In winter');
    expect(plain.markdown).toContain('Hive 59 59 kg');
  });

  async function print(page: string): Promise<{ tagged: Buffer; untagged: Buffer }> {
    const browser = await startBrowser();
    try {
      const { page: tab } = await browser.open();
      await tab.setContent(page);
      const format = { format: 'A4', displayHeaderFooter: true } as const;
      return {
        tagged: await tab.pdf({ ...format, tagged: true }),
        untagged: await tab.pdf({ ...format, tagged: false }),
      };
    } finally {
      await browser.close();
    }
  }
});

describe('a page', () => {
  const article = `<!doctype html><title>Bees – A Site</title><nav><a href="/menu">Menu of the site</a></nav>
    <main><article><h1>Bees</h1><p>${sentence.repeat(8)}</p><h2>Winter</h2><p>See <a href="/more">more</a>. ${sentence.repeat(4)}</p>
    <img src="https://leak.example/p.png" alt="A hive"></article></main><footer>Imprint</footer><script>document.write('never')</script>`;

  it('is read as the article a person would see', async () => {
    const { title, markdown } = await read(null, article, {
      contentType: 'text/html',
      url: 'https://bees.example/a',
    });
    expect(title).toBe('Bees – A Site');
    expect(markdown).toMatch(
      /^# Bees\n\nBees are kept[^]*\n\n## Winter\n\nSee \[more\]\(https:\/\/bees\.example\/more\)\./,
    );
    expect(markdown).toContain('A hive');
    expect(markdown).not.toMatch(/Menu|Imprint|never|leak/);
  });

  it('is read whole when it is not an article', async () => {
    const html = '<title>List</title><body><ul><li>One</li><li>Two</li></ul><footer>Foot</footer>';
    expect(await read('list.html', html)).toEqual({ title: 'List', markdown: '-   One\n-   Two' });
  });

  it('is read whole when what looks like the article is only a part', async () => {
    const sections = Array.from(
      { length: 12 },
      (_, index) =>
        `<section><h2>Part ${index}</h2><table><tr><td>a${index}</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table></section>`,
    );
    const { markdown } = await read('a.html', `<div><p>${sentence.repeat(2)}</p></div>${sections.join('')}`);
    for (const index of sections.keys()) expect(markdown).toContain(`## Part ${index}`);
  });

  it('is read even with a very large number of elements', async () => {
    // More nodes than an article may have.
    const { markdown } = await read(
      'a.html',
      Array.from({ length: 13_000 }, (_, index) => `<p>${index} <b>x</b></p>`).join(''),
    );
    expect(markdown).toContain('12999 **x**');
  });

  it('is read as plain text when it is nested too deeply', async () => {
    const { title, markdown } = await read('a.html', `<title>Deep</title>${'<div>'.repeat(200_000)}the text`);
    expect({ title, markdown }).toEqual({ title: 'Deep', markdown: 'the text' });
  });
});

describe('markdown and text', () => {
  it('are kept as they are', async () => {
    expect(await read('a.md', '# Title\n\nText\r\nof *mine*')).toEqual({
      title: 'Title',
      markdown: '# Title\n\nText\nof *mine*',
    });
    expect(await read('a.txt', 'No title\n\n\n\nText  \n')).toEqual({
      title: null,
      markdown: 'No title\n\nText',
    });
    expect(await read(null, 'Text', { contentType: 'text/plain' })).toEqual({
      title: null,
      markdown: 'Text',
    });
    expect(await read(null, '# T', { contentType: 'text/markdown' })).toEqual({
      title: 'T',
      markdown: '# T',
    });
  });

  it('may be one line of five megabytes', async () => {
    const { markdown } = await read('a.txt', 'x'.repeat(5_242_880));
    expect(markdown.length).toBe(5_242_880);
    const extractor = createExtractor();
    const never = new AbortController().signal;
    const chunks = await extractor.split(markdown, { title: null, workspaceId: 'one' }, never);
    expect(chunks.map(({ content }) => content).join('')).toBe(markdown);
    await extractor.close();
  });
});
