import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { count, plural } from '../format/numbers.ts';
import { Button } from './buttons.tsx';
import { countChanges, diffRows, unifyRows } from './diff/diff-rows.ts';
import { DiffTable } from './diff/diff-table.tsx';
import { diffTexts } from './diff/diff-texts.ts';
import { type DiffHunk, parsePatch } from './diff/parse-patch.ts';
import { VisibleText } from './visible-text.tsx';

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
