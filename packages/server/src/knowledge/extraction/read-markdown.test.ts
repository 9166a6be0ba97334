import { describe, expect, it } from 'vitest';
import { readMarkdown } from './read-markdown.ts';

describe('markdown', () => {
  it.each([
    ['# Title\n\ntext', 'Title', '# Title\n\ntext'],
    ['text\n\n# Later #\r\n', 'Later', 'text\n\n# Later #\r\n'],
    ['## Not the title', null, '## Not the title'],
    [
      '---\ntitle: "In front"\ntags: a\n---\n# Title',
      'In front',
      '```yaml\ntitle: "In front"\ntags: a\n```\n\n# Title',
    ],
    ['---\r\nkey: a\r\n---\r\ntext', null, '```yaml\nkey: a\r\n```\n\ntext'],
    ['---\n\ntext after a rule', null, '---\n\ntext after a rule'],
    ['', null, ''],
  ])('%j', (text, title, markdown) => expect(readMarkdown(text)).toEqual({ title, markdown }));

  it('looks at each line once', () => {
    const { title } = readMarkdown(`---\n${'a: b\n'.repeat(500_000)}`);
    expect(title).toBeNull();
  });
});
