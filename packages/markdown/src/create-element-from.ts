import type { MarkdownElement, MarkdownNode } from './markdown-node.ts';
import type { MarkdownOptions } from './markdown-view.ts';

/** Creates an element and what is in it one by one: whatever a message contains, none of it is read as HTML. */
export function createElementFrom(node: MarkdownElement, options: MarkdownOptions): HTMLElement | Text {
  const { tag, children, href, number, align } = node;
  if (tag === 'citation') return options.citation?.(number ?? 0) ?? new Text(`[${number}]`);
  const element = document.createElement(tag);
  fill(element, children, options);
  if (href?.startsWith('http')) markAsLeadingAway(element, href, options);
  // An address for mail or a telephone number opens a program, not a page.
  else if (href) Object.assign(element, { href, title: href });
  if (number !== undefined) Object.assign(element, { start: number });
  if (align) Object.assign(element, { align });
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

function markAsLeadingAway(link: HTMLElement, href: string, { linkNote }: MarkdownOptions): void {
  const properties = {
    href,
    title: href,
    target: '_blank',
    rel: 'noopener noreferrer nofollow',
    className: 'away',
  };
  Object.assign(link, properties);
  if (!linkNote) return;
  const note = { className: 'hidden', textContent: ` ${linkNote}` };
  link.append(Object.assign(document.createElement('span'), note));
}
