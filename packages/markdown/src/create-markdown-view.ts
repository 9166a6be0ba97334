import { createElementFrom } from './create-element-from.ts';
import type { MarkdownElement } from './markdown-node.ts';
import type { MarkdownOptions, MarkdownView } from './markdown-view.ts';
import { type Block, parseBlocks } from './parse-blocks.ts';
import { updateElement } from './update-element.ts';

interface Shown {
  element: Element;
  node: MarkdownElement;
}

/**
 * Renders markdown into `container`, which belongs to the view from then on. Blocks that are complete are drawn once; only what can
 * still change is read again when text is added.
 */
export function createMarkdownView(container: HTMLElement, options: MarkdownOptions = {}): MarkdownView {
  let unsettled = '';
  /** What shows the unsettled text. */
  let shown: Shown[] = [];

  function draw(isGrowing: boolean): void {
    const lines = unsettled.split('\n');
    const blocks = parseBlocks(lines, { isGrowing });
    for (const [index, { node }] of blocks.entries()) show(index, node);
    for (const { element } of shown.splice(blocks.length)) element.remove();
    settle(lines, blocks);
  }

  function show(index: number, node: MarkdownElement): void {
    const old = shown[index];
    if (old && updateElement(old.element, [old.node, node], options)) {
      shown[index] = { element: old.element, node };
      return;
    }
    const element = createElementFrom(node, options);
    if (old) old.element.replaceWith(element);
    else container.append(element);
    shown[index] = { element, node };
  }

  /** A block is complete when the line on which the next one begins is. */
  function settle(lines: readonly string[], blocks: readonly Block[]): void {
    const count = blocks.findLastIndex(({ line }) => line < lines.length - 1);
    if (count <= 0) return;
    unsettled = lines.slice(blocks[count]?.line).join('\n');
    shown = shown.slice(count);
  }

  return {
    append(text) {
      unsettled += text;
      draw(true);
    },
    end: () => draw(false),
  };
}
