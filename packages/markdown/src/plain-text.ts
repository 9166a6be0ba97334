import type { MarkdownElement, MarkdownNode } from './markdown-node.ts';
import { parseBlocks } from './parse-blocks.ts';

const withinWords = new Set<MarkdownElement['tag']>(['em', 'strong', 's', 'code', 'a']);
/** Stands for a citation until the space before it is gone. */
const mark = '\u0000';

/** A text or its beginning in one line, as it reads without markup and citations. */
export function plainText(text: string): string {
  const blocks = parseBlocks(text.replaceAll(mark, '').split(/\r?\n/), { isGrowing: true });
  return textOf(blocks.map(({ node }) => node))
    .replaceAll(/\s*\0/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function textOf(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      if (node.tag === 'citation') return mark;
      const inner = textOf(node.children);
      return withinWords.has(node.tag) ? inner : ` ${inner} `;
    })
    .join('');
}
