import { createElementFrom } from './create-element-from.ts';
import type { MarkdownOptions, MarkdownView } from './markdown-view.ts';
import { parseBlocks } from './parse-blocks.ts';
import { updateElement } from './update-element.ts';

/** Drawing an unfinished message takes at most a tenth of the time, however long it is. */
const pause = 9;

/**
 * Renders markdown into `container`, which belongs to the view from then on. Blocks that are complete are drawn once; only what can
 * still change is read again when text is added.
 */
export function createMarkdownView(container: HTMLElement, options: MarkdownOptions = {}): MarkdownView {
  let unsettled = '';
  /** The elements that can still change come after this many. */
  let settled = 0;
  let drawAgainAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function draw(isGrowing: boolean): void {
    const lines = unsettled.split('\n');
    const blocks = parseBlocks(lines, { isGrowing });
    const wanted = document.createElement('div');
    for (const { node } of blocks) wanted.append(createElementFrom(node, options));
    updateElement(container, wanted, settled);
    // A block is complete when the first two lines of the next one are: the second may make a table of the first.
    const count = blocks.findLastIndex(({ line }) => line < lines.length - 2);
    if (count <= 0) return;
    settled += count;
    unsettled = lines.slice(blocks[count]?.line).join('\n');
  }

  function add(text: string): void {
    unsettled += text.replaceAll('\r', '');
  }

  function drawGrowing(): void {
    const started = performance.now();
    timer = undefined;
    draw(true);
    const ended = performance.now();
    drawAgainAt = ended + pause * (ended - started);
  }

  return {
    append(text) {
      add(text);
      const wait = drawAgainAt - performance.now();
      if (wait <= 0) drawGrowing();
      else timer ??= setTimeout(drawGrowing, wait);
    },
    end(text = '') {
      add(text);
      clearTimeout(timer);
      draw(false);
    },
  };
}
