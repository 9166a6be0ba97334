import * as smd from 'streaming-markdown';
import type { MarkdownOptions, MarkdownView } from './markdown-view.ts';
import { safeHref } from './safe-href.ts';

const tags: Partial<Record<number, keyof HTMLElementTagNameMap>> = {
  [smd.PARAGRAPH]: 'p',
  [smd.HEADING_1]: 'h3',
  [smd.HEADING_2]: 'h3',
  [smd.HEADING_3]: 'h4',
  [smd.HEADING_4]: 'h5',
  [smd.HEADING_5]: 'h6',
  [smd.HEADING_6]: 'h6',
  [smd.CODE_BLOCK]: 'pre',
  [smd.CODE_FENCE]: 'pre',
  [smd.CODE_INLINE]: 'code',
  [smd.ITALIC_AST]: 'em',
  [smd.ITALIC_UND]: 'em',
  [smd.STRONG_AST]: 'strong',
  [smd.STRONG_UND]: 'strong',
  [smd.STRIKE]: 's',
  [smd.LINK]: 'a',
  [smd.RAW_URL]: 'a',
  [smd.IMAGE]: 'a',
  [smd.BLOCKQUOTE]: 'blockquote',
  [smd.LINE_BREAK]: 'br',
  [smd.RULE]: 'hr',
  [smd.LIST_UNORDERED]: 'ul',
  [smd.LIST_ORDERED]: 'ol',
  [smd.LIST_ITEM]: 'li',
  [smd.TABLE]: 'table',
  [smd.TABLE_ROW]: 'tr',
  [smd.TABLE_CELL]: 'td',
};

/** Renders markdown into `container`, which belongs to the view from then on. */
export function createMarkdownView(container: HTMLElement, options: MarkdownOptions = {}): MarkdownView {
  const open = [container];
  const current = () => open.at(-1) ?? container;
  const parser = smd.parser({
    data: undefined,
    add_token(_data, token) {
      const element = document.createElement(tags[token] ?? 'span');
      current().append(element);
      open.push(element);
    },
    end_token() {
      const element = open.pop();
      const citation = /^\d+$/.test(element?.textContent ?? '') && options.citation;
      if (element?.localName === 'a' && !element.hasAttribute('href')) {
        const cited = citation && citation(Number(element.textContent));
        element.replaceWith(cited || `[${element.textContent}]`);
      }
    },
    add_text: (_data, text) => current().append(text),
    set_attr(_data, name, value) {
      const href = name === smd.HREF || name === smd.SRC ? safeHref(value) : undefined;
      const element = current();
      if (!href || !(element instanceof HTMLAnchorElement)) return;
      element.href = href;
      element.target = '_blank';
      element.rel = 'noopener noreferrer nofollow';
      element.className = 'away';
    },
  });
  return {
    append: (text) => smd.parser_write(parser, text),
    end: () => smd.parser_end(parser),
  };
}
