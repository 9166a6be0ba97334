import TurndownService from 'turndown';

type Element = Parameters<TurndownService.FilterFunction>[0];

/**
 * HTML as markdown: headings, lists, code and tables keep their structure, links their address. Images are left out, because
 * loading them could leak data through their addresses.
 */
export function toMarkdown(html: string | HTMLElement): string {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    blankReplacement: (_content, node) => {
      if (isCell(node)) return cell('');
      return (node as Element & { isBlock: boolean }).isBlock ? '\n\n' : '';
    },
  });
  turndown.escape = escapeStart;
  turndown.addRule('headings', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, node) => {
      const level = Number(node.getAttribute('data-level') ?? node.nodeName[1]);
      return `\n\n${'#'.repeat(level)} ${content.replaceAll(/\s+/g, ' ').trim()}\n\n`;
    },
  });
  turndown.addRule('pictures', {
    filter: ['img', 'picture', 'video', 'audio'],
    replacement: (_content, node) => node.getAttribute('alt')?.trim() ?? '',
  });
  addTableRules(turndown);
  return turndown.turndown(html);
}

/** People and models read and search this, so only what would become a heading or code is escaped. */
function escapeStart(text: string): string {
  return text.replace(/^(\s*)(#{1,6}(?=\s)|```|~~~)/, String.raw`$1\$2`);
}

function addTableRules(turndown: TurndownService): void {
  const isData = createTableCheck();
  turndown.addRule('cells', {
    filter: isCell,
    replacement: (content, node) => (isData(node) ? cell(content) : `\n\n${content}\n\n`),
  });
  turndown.addRule('rows', {
    filter: (node) => node.nodeName === 'TR' && isData(node),
    replacement: (content, node) => {
      const row = `| ${content.trim()}\n`;
      return isFirstRow(node) ? `${row}|${' --- |'.repeat(cellsOf(node))}\n` : row;
    },
  });
  turndown.addRule('row groups', {
    filter: (node) => /^(THEAD|TBODY|TFOOT)$/.test(node.nodeName) && isData(node),
    replacement: (content) => content,
  });
  turndown.addRule('tables', {
    filter: (node) => node.nodeName === 'TABLE' && isData(node),
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  });
  turndown.addRule('captions', { filter: 'caption', replacement: (content) => `${content.trim()}\n\n` });
}

function cell(content: string): string {
  return ` ${content.replaceAll(/\s+/g, ' ').trim().replaceAll('|', String.raw`\|`)} |`;
}

function isCell(node: { nodeName: string }): boolean {
  return node.nodeName === 'TD' || node.nodeName === 'TH';
}

function cellsOf(row: Element): number {
  return Array.from(row.childNodes).filter(isCell).length;
}

function isFirstRow(row: Element): boolean {
  return tableOf(row)?.querySelector('tr') === row;
}

function tableOf(node: Element): Element | null {
  return node.closest('table');
}

/** Data has rows and columns; a table with nested tables or one cell per row is only layout. */
function createTableCheck(): (node: Element) => boolean {
  const known = new WeakMap<Element, boolean>();
  return (node) => {
    const table = tableOf(node);
    if (!table) return false;
    let data = known.get(table);
    if (data === undefined) {
      const rows = Array.from(table.querySelectorAll('tr'));
      data = rows.length > 1 && rows.some((row) => cellsOf(row) > 1) && !table.querySelector('table');
      known.set(table, data);
    }
    return data;
  };
}
