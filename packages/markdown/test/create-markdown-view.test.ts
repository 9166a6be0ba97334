import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, startBrowser } from '../../server/test/support/browser.ts';
import type { MarkdownOptions, MarkdownView } from '../src/markdown-view.ts';

declare const markdown: {
  createMarkdownView(container: HTMLElement, options?: MarkdownOptions): MarkdownView;
};

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await startBrowser();
  ({ page } = await browser.open());
  const source = join(import.meta.dirname, '../src/create-markdown-view.ts');
  const bundle = await rolldown({ input: source, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', name: 'markdown' });
  await bundle.close();
  await page.addScriptTag({ content: output[0].code });
});
afterAll(() => browser?.close());

const sample = `# Title

A **bold** word, [a link](https://a.test/x) and https://b.test. Then \`code\`, [1] and [9].

1. one
   - nested *item*
2. two

| a | b |
|---|---|
| 1 | **2** |

> quoted
> text

\`\`\`js
const a = '<b>';

next();
\`\`\`
The end_of_it, at last.`;

/** What is shown after the text arrived in pieces of a size. */
function render(text: string, size: number): Promise<string> {
  return page.evaluate(
    ([message, length]) => {
      const container = document.createElement('div');
      const view = markdown.createMarkdownView(container, {
        linkNote: '(opens elsewhere)',
        citation(number) {
          if (number !== 1) return undefined;
          const button = document.createElement('button');
          button.append(String(number));
          return button;
        },
      });
      for (let start = 0; start < message.length; start += length)
        view.append(message.slice(start, start + length));
      view.end();
      return container.innerHTML;
    },
    [text, size] as const,
  );
}

it('shows the same however the text arrives', async () => {
  const expected = await render(sample, sample.length);
  expect(expected).toMatchSnapshot();
  for (const size of [1, 2, 3, 7, 50]) expect(await render(sample, size), `pieces of ${size}`).toBe(expected);
  const turns = 'Not\n| a | table\n|-- yet\n\n# Windows\r\n- line\r\n- ends\r\n';
  const whole = await render(turns, turns.length);
  expect(whole).toContain('<h3>Windows</h3><ul>');
  expect(await render(turns, 1)).toBe(whole);
});

it('shows headings that are underlined, and links around brackets and pictures, however the text arrives', async () => {
  const text =
    'Title\n===\n\nTwo\nlines\n---\n*see **this*** [[1]](https://a.test) [![a](https://i.test)](https://b.test) &amp;\n\nb\n-\n\n[call](tel:123)\n';
  const whole = await render(text, text.length);
  expect(whole).toContain('<h3>Title</h3><h3>Two<br>lines</h3><p><em>see <strong>this</strong></em> <a');
  expect(whole).toContain('<h3>b</h3><p><a href="tel:123" title="tel:123">call (123)</a></p>');
  expect(whole).not.toContain('<button');
  for (const size of [1, 2, 5]) expect(await render(text, size), `pieces of ${size}`).toBe(whole);
});

it('creates nothing that loads or runs', async () => {
  const text = `<img src=x onerror="window.hit=1"> <script>window.hit=1</script> <svg onload=alert(1)>
![a](https://a.test/p.png) [b](javascript:window.hit=1) [c](data:text/html,<script>) <iframe src=//a.test>
[d](https://a.test/"onmouseover="window.hit=1) \`<style>*{}</style>\``;
  const html = await render(text, 5);
  const { tags, attributes, hit } = await page.evaluate((content) => {
    const parsed = new DOMParser().parseFromString(content, 'text/html');
    const elements = [...parsed.body.querySelectorAll('*')];
    return {
      tags: [...new Set(elements.map((one) => one.localName))].toSorted(),
      attributes: [...new Set(elements.flatMap((one) => one.getAttributeNames()))].toSorted(),
      hit: 'hit' in window,
    };
  }, html);
  expect(tags).toEqual(['a', 'br', 'code', 'p', 'span']);
  expect(attributes).toEqual(['class', 'href', 'rel', 'target', 'title']);
  expect(hit).toBe(false);
});

it('keeps what is already shown, with the selection in it', async () => {
  const result = await page.evaluate(() => {
    const container = document.createElement('div');
    document.body.append(container);
    const view = markdown.createMarkdownView(container);
    view.append('First.\n\nSecond with **bold** te');
    const [first, second] = container.children;
    const bold = second?.querySelector('strong');
    getSelection()?.selectAllChildren(bold ?? document.body);
    view.append('xt, and *more');
    view.append('* of it.\n\nThird.');
    view.end();
    return {
      kept: container.children[0] === first && container.children[1] === second,
      selected: String(getSelection()),
      text: container.innerText,
    };
  });
  expect(result).toEqual({
    kept: true,
    selected: 'bold',
    text: 'First.\n\nSecond with bold text, and more of it.\n\nThird.',
  });
});

it('keeps how far a growing table was scrolled, and the focus', async () => {
  const kept = await page.evaluate(() => {
    const container = document.createElement('div');
    document.body.append(container);
    container.style.cssText = 'width: 50px';
    const view = markdown.createMarkdownView(container);
    view.append('| a | b |\n|---|---|\n| 1 | 2 |\n');
    const frame = container.querySelector<HTMLElement>('.table');
    frame?.focus();
    view.append('| 3 | 4 |\n');
    view.end();
    return [container.querySelectorAll('tr').length, document.activeElement === frame];
  });
  expect(kept).toEqual([3, true]);
});

it('does not hold up the page, whatever a long message contains', async () => {
  const parts = ['[', '`', '**a ', '[](', '> ', '- a\n', '|\n', 'a\n\n', '*_~~[a]('];
  for (const part of parts) {
    const text = part.repeat(Math.ceil(32_000 / part.length));
    const started = performance.now();
    await render(text, 3_200);
    // The usual cost is below half a second.
    expect(performance.now() - started, JSON.stringify(part)).toBeLessThan(20_000);
  }
});
