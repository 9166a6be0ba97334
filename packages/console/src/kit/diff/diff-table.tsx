import { UnfoldVertical } from 'lucide-react';
import { memo } from 'react';
import { plural } from '../../format/numbers.ts';
import { classes } from '../classes.ts';
import { VisibleText } from '../visible-text.tsx';
import type { DiffCell, DiffRow } from './diff-rows.ts';

interface DiffTableProps {
  rows: readonly DiffRow[];
  isSplit: boolean;
  onUnfold: (id: number) => void;
}

/** A part of a diff. Its columns are as wide as those of the other parts. */
export const DiffTable = memo(
  function DiffTable({ rows, isSplit, onUnfold }: DiffTableProps) {
    return (
      <div className="[contain-intrinsic-size:auto_800px] [content-visibility:auto]">
        <table className="w-full table-fixed border-collapse font-mono text-sm">
          <colgroup>
            <col className={isSplit ? 'w-12' : 'w-9 sm:w-12'} />
            {isSplit ? <col /> : <col className="w-9 sm:w-12" />}
            {isSplit && <col className="w-12" />}
            <col />
          </colgroup>
          <tbody>
            {rows.map((row, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- lines have no identity besides their place
              <Row key={index} row={row} isSplit={isSplit} onUnfold={onUnfold} />
            ))}
          </tbody>
        </table>
      </div>
    );
  },
  (one, other) => one.rows === other.rows && one.isSplit === other.isSplit,
);

function Row({ row, isSplit, onUnfold }: Omit<DiffTableProps, 'rows'> & { row: DiffRow }) {
  const columns = isSplit ? 4 : 3;
  switch (row.kind) {
    case 'file':
      return (
        <tr>
          <th colSpan={columns} scope="rowgroup" className="bg-sunken px-3 py-1 text-left font-medium">
            <VisibleText text={row.path} />
          </th>
        </tr>
      );
    case 'gap':
      return (
        <tr>
          <td colSpan={columns} className="bg-sunken px-3 text-ink-3">
            <span aria-hidden>⋯</span>
            <span className="sr-only">Unchanged lines that are not shown</span>
          </td>
        </tr>
      );
    case 'fold':
      return (
        <tr>
          <td colSpan={columns} className="bg-sunken p-0">
            <button
              type="button"
              onClick={() => onUnfold(row.id)}
              className="flex w-full items-center gap-2 px-3 py-1 text-accent-ink text-sm hover:bg-hover pointer-coarse:min-h-11"
            >
              <UnfoldVertical aria-hidden className="size-4" />
              Show {plural(row.count, 'unchanged line')}
            </button>
          </td>
        </tr>
      );
    case 'lines':
      return isSplit ? <SplitRow row={row} /> : <UnifiedRow row={row} />;
  }
}

type LinesRow = Extract<DiffRow, { kind: 'lines' }>;

function SplitRow({ row: { before, after } }: { row: LinesRow }) {
  return (
    <tr className="align-top">
      <LineNumber number={before?.before} cell={before} />
      <Line cell={before} className="border-line border-r" />
      <LineNumber number={after?.after} cell={after} />
      <Line cell={after} />
    </tr>
  );
}

function UnifiedRow({ row: { before, after } }: { row: LinesRow }) {
  const cell = after ?? before;
  return (
    <tr className="align-top">
      <LineNumber number={before?.before} cell={cell} />
      <LineNumber number={after?.after} cell={cell} />
      <Line cell={cell} />
    </tr>
  );
}

const backgrounds = { same: '', added: 'bg-add', removed: 'bg-del' };
const wordBackgrounds = { same: '', added: 'bg-add-word', removed: 'bg-del-word' };
const signs = { same: ' ', added: '+', removed: '-' };
const names = { same: '', added: 'Added: ', removed: 'Removed: ' };

function LineNumber({ number, cell }: { number: number | undefined; cell: DiffCell | undefined }) {
  return (
    <td
      className={classes(
        'select-none px-1 text-right text-ink-3 tabular-nums',
        cell ? backgrounds[cell.kind] : 'bg-sunken',
      )}
    >
      {number}
    </td>
  );
}

function Line({ cell, className }: { cell: DiffCell | undefined; className?: string }) {
  if (!cell) return <td className={classes('bg-sunken', className)} />;
  const { kind, text, parts, isUnended } = cell;
  return (
    <td
      className={classes(
        'whitespace-pre-wrap break-words pr-2 [overflow-wrap:anywhere]',
        backgrounds[kind],
        className,
      )}
    >
      <span aria-hidden className="inline-block w-4 select-none text-center text-ink-3">
        {signs[kind]}
      </span>
      <span className="sr-only">{names[kind]}</span>
      {parts ? (
        parts.map((part, index) => (
          <span
            // oxlint-disable-next-line react/no-array-index-key -- words have no identity besides their place
            key={index}
            className={part.isChanged ? classes('rounded-xs', wordBackgrounds[kind]) : undefined}
          >
            <VisibleText text={part.text} />
          </span>
        ))
      ) : (
        <VisibleText text={text} />
      )}
      {isUnended && <span className="text-ink-3 text-xs italic"> no line break at the end</span>}
    </td>
  );
}
