import TurndownService from 'turndown';
import { createTableGrids } from './table-grid.ts';

type Element = Parameters<TurndownService.FilterFunction>[0];

/**
 * HTML as markdown: headings, lists, code and tables keep their structure, links their address. Images are left out, because
 * loading them could leak data through their addresses.
 */
export function toMarkdown(html: string | HTMLElement): string {
  const tables = createTableWriter();
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    blankReplacement: (_content, node) => {
      if (isCell(node)) return tables.writeCell('', node);
      if (isRow(node) && tables.isData(node)) return tables.writeRow('', node);
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
  addTableRules(turndown, tables);
  return turndown.turndown(html);
}

/** People and models read and search this, so only what would become a heading or code is escaped. */
function escapeStart(text: string): string {
  return text.replace(/^(\s*)(#{1,6}(?=\s)|```|~~~)/, String.raw`$1\$2`);
}

type TableWriter = ReturnType<typeof createTableWriter>;

function createTableWriter() {
  const isData = createTableCheck();
  const grids = createTableGrids();
  const withHeader = new WeakSet<Element>();
  return {
    isData,
    writeCell(content: string, node: Element): string {
      return isData(node) ? grids.writeCell(node, cell(content)) : cell(content);
    },
    /** A row without any cell is blank, unless cells above it reach into it. */
    writeRow(content: string, node: Element): string {
      const { rest, columns } = grids.endRow(node);
      const cells = `${content}${rest}`.trim();
      const table = tableOf(node);
      if (cells === '' || !table) return '';
      if (withHeader.has(table)) return `| ${cells}\n`;
      withHeader.add(table);
      return `| ${cells}\n|${' --- |'.repeat(columns)}\n`;
    },
  };
}

function addTableRules(turndown: TurndownService, { isData, writeCell, writeRow }: TableWriter): void {
  turndown.addRule('cells', {
    filter: isCell,
    replacement: (content, node) => (isData(node) ? writeCell(content, node) : `\n\n${content}\n\n`),
  });
  turndown.addRule('rows', { filter: (node) => isRow(node) && isData(node), replacement: writeRow });
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

function isRow(node: { nodeName: string }): boolean {
  return node.nodeName === 'TR';
}

function cellsOf(row: Element): number {
  return Array.from(row.childNodes).filter(isCell).length;
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
