import type { MarkdownElement, MarkdownNode } from './markdown-node.ts';
import type { MarkdownOptions } from './markdown-view.ts';

/** Creates an element and what is in it one by one: whatever a message contains, none of it is read as HTML. */
export function createElementFrom(node: MarkdownElement, options: MarkdownOptions): HTMLElement {
  const { tag, children, href, number } = node;
  if (tag === 'citation') return options.citation?.(number ?? 0) ?? createText(`[${number}]`);
  const element = document.createElement(tag);
  fill(element, children, options);
  if (element instanceof HTMLAnchorElement && href) markAsLeadingAway(element, href, options);
  if (element instanceof HTMLOListElement && number !== undefined) element.start = number;
  // Wide ones scroll, which has to be possible with the keyboard.
  if (tag === 'pre') element.tabIndex = 0;
  if (tag !== 'table') return element;
  const frame = document.createElement('div');
  frame.className = 'table';
  frame.tabIndex = 0;
  frame.append(element);
  return frame;
}

function fill(element: HTMLElement, children: readonly MarkdownNode[], options: MarkdownOptions): void {
  for (const child of children) {
    element.append(typeof child === 'string' ? child : createElementFrom(child, options));
  }
}

function createText(text: string): HTMLElement {
  const span = document.createElement('span');
  span.append(text);
  return span;
}

function markAsLeadingAway(link: HTMLAnchorElement, href: string, { linkNote }: MarkdownOptions): void {
  link.href = href;
  link.title = href;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  link.className = 'away';
  if (!linkNote) return;
  const note = document.createElement('span');
  note.className = 'hidden';
  note.append(` ${linkNote}`);
  link.append(note);
}
