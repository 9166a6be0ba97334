import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface Column<Row> {
  title: string;
  /** Only for screen readers, as for a column of buttons. */
  isTitleHidden?: boolean;
  cell: (row: Row) => ReactNode;
  /** Numbers are aligned at the end. */
  isNumber?: boolean;
  /** Left out on narrow screens. */
  isSecondary?: boolean;
  className?: string;
}

interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The first cell contains a link to the row: a click anywhere on the row follows it. */
  isLinked?: boolean;
}

/** A real table: browsers can search it, copy it and read it out. Nothing without rows. */
export function DataTable<Row>({ label, columns, rows, keyOf, isLinked = true }: DataTableProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <table aria-label={label} className="w-full border-collapse text-sm">
      <thead className="sticky top-0 z-10 bg-sunken text-left text-ink-2">
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" className={classes(cellClasses(column), 'h-8 font-medium')}>
              {column.isTitleHidden ? <span className="sr-only">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const key = keyOf(row);
          return (
            <tr
              key={key}
              data-row={key}
              onClick={isLinked ? followLink : undefined}
              className={classes('border-line border-b', isLinked && 'hover:bg-hover')}
            >
              {columns.map((column) => (
                <td
                  key={column.title}
                  className={classes(cellClasses(column), 'h-9 py-1 pointer-coarse:h-11')}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function cellClasses<Row>({ isNumber, isSecondary, className }: Column<Row>): string {
  return classes(
    'px-3 align-middle first:pl-4 last:pr-4 md:first:pl-6 md:last:pr-6',
    isNumber && 'text-right tabular-nums',
    isSecondary && 'max-md:hidden',
    className,
  );
}

/** Clicks on a control inside of the row, and the end of a selection of text, are not meant for the row. */
function followLink(event: React.MouseEvent<HTMLTableRowElement>): void {
  const target = event.target as Element;
  // React also reports clicks in dialogs and menus that a cell has opened.
  if (!event.currentTarget.contains(target)) return;
  if (target.closest('a, button, input, label, [role="button"]')) return;
  if (getSelection()?.toString()) return;
  event.currentTarget.querySelector<HTMLAnchorElement>('a[href]')?.click();
}
