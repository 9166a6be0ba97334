import { createElementFrom } from './create-element-from.ts';
import type { MarkdownElement, MarkdownNode } from './markdown-node.ts';
import type { MarkdownOptions } from './markdown-view.ts';

/**
 * Changes what shows an earlier state of an element so that it shows a later one. What is the same stays, with the selection in it.
 * Returns false if a new element is needed.
 */
export function updateElement(
  shown: Node,
  [old, fresh]: readonly [MarkdownElement, MarkdownElement],
  options: MarkdownOptions,
): boolean {
  const isOneWhole = fresh.tag === 'a' || fresh.tag === 'citation';
  if (old.tag !== fresh.tag || old.number !== fresh.number || isOneWhole) return false;
  const parent = fresh.tag === 'table' ? shown.firstChild : shown;
  if (!(parent instanceof Element)) return false;
  let child = parent.firstChild;
  for (const [index, node] of fresh.children.entries()) {
    const following: ChildNode | null = child?.nextSibling ?? null;
    if (!child) parent.append(create(node, options));
    else if (!updateNode(child, [old.children[index], node], options))
      child.replaceWith(create(node, options));
    child = following;
  }
  for (let extra = old.children.length; extra > fresh.children.length; extra -= 1) parent.lastChild?.remove();
  return true;
}

function updateNode(
  shown: ChildNode,
  [old, fresh]: readonly [MarkdownNode | undefined, MarkdownNode],
  options: MarkdownOptions,
): boolean {
  if (isEqual(old, fresh)) return true;
  if (typeof old === 'object' && typeof fresh === 'object')
    return updateElement(shown, [old, fresh], options);
  if (!(shown instanceof Text) || typeof fresh !== 'string') return false;
  if (fresh.startsWith(shown.data)) shown.appendData(fresh.slice(shown.data.length));
  else shown.data = fresh;
  return true;
}

function isEqual(one: MarkdownNode | undefined, other: MarkdownNode): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return (
    one.tag === other.tag &&
    one.href === other.href &&
    one.number === other.number &&
    one.children.length === other.children.length &&
    one.children.every((child, index) => isEqual(child, other.children[index] ?? ''))
  );
}

function create(node: MarkdownNode, options: MarkdownOptions): Node | string {
  return typeof node === 'string' ? node : createElementFrom(node, options);
}
