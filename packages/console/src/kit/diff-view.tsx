import { UnfoldVertical } from 'lucide-react';
import { memo, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { count, plural } from '../format/numbers.ts';
import { Button } from './buttons.tsx';
import { classes } from './classes.ts';
import { countChanges, type DiffCell, type DiffRow, diffRows, unifyRows } from './diff/diff-rows.ts';
import { diffTexts } from './diff/diff-texts.ts';
import { type DiffHunk, parsePatch } from './diff/parse-patch.ts';
import { VisibleText } from './labels.tsx';

/** Side by side from this width on. */
const splitPixels = 900;
const rowsPerChunk = 40;
const chunksPerStep = 100;

type DiffViewProps = {
  /** What was changed, for screen readers: "src/app.ts". */
  label: string;
} & (
  | {
      /** A unified diff, of one or several files. */
      patch: string;
    }
  | { before: string; after: string }
);

/** A change of text: removed lines beside added ones where there is room, one below the other elsewhere. */
export function DiffView({ label, ...given }: DiffViewProps) {
  const frame = useRef<HTMLElement>(null);
  const isSplit = useIsWide(frame, splitPixels);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const [shownChunks, setShownChunks] = useState(chunksPerStep);
  const patch = 'patch' in given ? given.patch : undefined;
  const before = 'patch' in given ? '' : given.before;
  const after = 'patch' in given ? '' : given.after;
  const hunks = useMemo(
    () => (patch === undefined ? diffTexts(before, after) : parsePatch(patch)),
    [patch, before, after],
  );
  const rows = useMemo(() => diffRows(withoutOnlyPath(hunks), unfolded), [hunks, unfolded]);
  const chunks = useMemo(() => chunksOf(isSplit ? rows : unifyRows(rows)), [rows, isSplit]);
  const { added, removed } = countChanges(hunks);
  const left = chunks.slice(shownChunks).reduce((sum, chunk) => sum + chunk.length, 0);
  return (
    <section
      ref={frame}
      aria-label={`Change of ${label}: ${plural(added, 'line')} added, ${plural(removed, 'line')} removed`}
      className="overflow-hidden rounded-md border border-line bg-surface"
    >
      <p aria-hidden className="flex gap-3 border-line border-b bg-sunken px-3 py-1 font-mono text-sm">
        <span className="min-w-0 flex-1 truncate" title={label}>
          <VisibleText text={label} />
        </span>
        <span className="text-success-ink">+{count(added)}</span>
        <span className="text-danger-ink">-{count(removed)}</span>
      </p>
      {chunks.length === 0 && <p className="px-3 py-2 text-ink-2">No difference.</p>}
      {chunks.slice(0, shownChunks).map((chunk, index) => (
        <DiffTable
          // oxlint-disable-next-line react/no-array-index-key -- chunks have no identity besides their place
          key={index}
          rows={chunk}
          isSplit={isSplit}
          onUnfold={(id) => setUnfolded((known) => new Set([...known, id]))}
        />
      ))}
      {left > 0 && (
        <div className="flex justify-center border-line border-t p-2">
          <Button size="small" onPress={() => setShownChunks((shown) => shown + chunksPerStep)}>
            Show more of {plural(left, 'line')}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The name of a single file is above the diff already. */
function withoutOnlyPath(hunks: readonly DiffHunk[]): readonly DiffHunk[] {
  const isSingle = hunks.filter(({ path }) => path !== undefined).length === 1;
  return isSingle ? hunks.map((hunk) => ({ ...hunk, path: undefined })) : hunks;
}

/** Tables outside of the view are not laid out, so a long diff is several of them. */
function chunksOf<Row>(rows: readonly Row[]): Row[][] {
  const chunks: Row[][] = [];
  for (let start = 0; start < rows.length; start += rowsPerChunk) {
    chunks.push(rows.slice(start, start + rowsPerChunk));
  }
  return chunks;
}

/** Whether an element is at least this wide. */
function useIsWide(element: RefObject<HTMLElement | null>, pixels: number): boolean {
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const watched = element.current;
    if (!watched) return;
    const measure = () => setWide(watched.clientWidth >= pixels);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element, pixels]);
  return isWide;
}

interface DiffTableProps {
  rows: readonly DiffRow[];
  isSplit: boolean;
  onUnfold: (id: number) => void;
}

/** A part of a diff. Its columns are as wide as those of the other parts. */
const DiffTable = memo(
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
