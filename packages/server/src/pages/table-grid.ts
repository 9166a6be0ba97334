/** The part of a DOM element that is needed here. */
interface Element {
  parentNode: unknown;
  getAttribute(name: string): string | null;
  closest(selector: string): object | null;
}

/** A value that continues in the rows below. */
interface Span {
  text: string;
  lastRow: number;
}

interface Grid {
  /** The row being written, its number, and the group that it is in: no cell spans beyond its group. */
  row: Element;
  rowNumber: number;
  group: unknown;
  /** The next column to write. */
  column: number;
  spans: (Span | undefined)[];
}

/** As in HTML. */
const maxColumns = 1_000;
/** The number of characters that spans may repeat in a document. Spans beyond that are ignored, so that no table can grow without bound. */
const maxRepeated = 1_000_000;
const emptyCell = '  |';

/**
 * Writes the cells of tables, in document order. A value is repeated in every column and row that its cell spans, because markdown
 * has no merged cells: otherwise the cells after it would be in the wrong columns.
 */
export function createTableGrids() {
  const grids = new WeakMap<object, Grid>();
  let repeatable = maxRepeated;

  function gridAt(row: Element): Grid | undefined {
    const table = row.closest('table');
    if (!table) return undefined;
    const known = grids.get(table);
    if (known?.row === row) return known;
    const group = row.parentNode;
    const spans = known && known.group === group ? known.spans : [];
    const grid = { row, group, spans, column: 0, rowNumber: (known?.rowNumber ?? 0) + 1 };
    grids.set(table, grid);
    return grid;
  }

  function repeat(text: string): string {
    repeatable -= text.length;
    return repeatable >= 0 ? text : '';
  }

  /** What the rows above have left in the next columns. */
  function writeSpans(grid: Grid): string {
    let written = '';
    for (let span = grid.spans[grid.column]; span; span = grid.spans[grid.column]) {
      if (span.lastRow < grid.rowNumber || repeatable <= 0) break;
      written += repeat(span.text);
      grid.column += 1;
    }
    return written;
  }

  return {
    /** The cell with everything that comes before it. */
    writeCell(cell: Element, text: string): string {
      const grid = gridAt(cell.parentNode as Element);
      if (!grid) return text;
      const before = writeSpans(grid);
      const columns = Math.min(spanOf(cell, 'colspan') || 1, maxColumns);
      const rows = spanOf(cell, 'rowspan');
      const lastRow = grid.rowNumber - 1 + (rows === 0 ? Infinity : rows);
      let written = text;
      for (let count = 0; count < columns && (count === 0 || repeatable > 0); count += 1) {
        if (count > 0) written += repeat(text);
        if (rows !== 1) grid.spans[grid.column] = { text, lastRow };
        grid.column += 1;
      }
      return before + written;
    },

    /** What follows the last cell of a row, and how many columns the row has. */
    endRow(row: Element): { rest: string; columns: number } {
      const grid = gridAt(row);
      if (!grid) return { rest: '', columns: 0 };
      const { spans, rowNumber } = grid;
      while (spans.length > 0 && (spans.at(-1)?.lastRow ?? 0) < rowNumber) spans.pop();
      let rest = '';
      while (grid.column < spans.length && repeatable > 0) {
        const written = writeSpans(grid);
        rest += written;
        if (written !== '' || grid.column >= spans.length) continue;
        rest += repeat(emptyCell);
        grid.column += 1;
      }
      return { rest, columns: grid.column };
    },
  };
}

function spanOf(cell: Element, name: 'colspan' | 'rowspan'): number {
  const count = Number.parseInt(cell.getAttribute(name) ?? '', 10);
  return count >= 0 ? count : 1;
}
