import type { MarkdownElement, MarkdownNode } from './markdown-node.ts';
import type { MarkdownOptions } from './markdown-view.ts';

/** Creates an element and what is in it one by one: whatever a message contains, none of it is read as HTML. */
export function createElementFrom(node: MarkdownElement, options: MarkdownOptions): HTMLElement | Text {
  const { tag, children, href, number, align } = node;
  if (tag === 'citation') return options.citation?.(number ?? 0) ?? new Text(`[${number}]`);
  const element = document.createElement(tag);
  fill(element, children, options);
  const start = number !== undefined && { start: number };
  Object.assign(element, href && { href, title: href }, start, align && { align });
  // An address for mail or a telephone number opens a program, not a page.
  if (href?.startsWith('http')) markAsLeadingAway(element, options);
  // Wide ones scroll, which has to be possible with the keyboard.
  if (tag === 'pre') element.tabIndex = 0;
  if (tag !== 'table') return element;
  const frame = Object.assign(document.createElement('div'), { className: 'table', tabIndex: 0 });
  frame.append(element);
  return frame;
}

function fill(element: HTMLElement, children: readonly MarkdownNode[], options: MarkdownOptions): void {
  for (const child of children) {
    element.append(typeof child === 'string' ? child : createElementFrom(child, options));
  }
}

function markAsLeadingAway(link: HTMLElement, { linkNote }: MarkdownOptions): void {
  Object.assign(link, { target: '_blank', rel: 'noopener noreferrer nofollow', className: 'away' });
  if (!linkNote) return;
  const note = { className: 'hidden', textContent: ` ${linkNote}` };
  link.append(Object.assign(document.createElement('span'), note));
}
