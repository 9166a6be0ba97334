import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { CopyButton } from './buttons.tsx';
import { classes } from './classes.ts';
import { formatJsonPath, isSamePath, type JsonPath, valueAt } from './json-path.ts';
import { NameText } from './labels.tsx';

interface JsonTreeProps {
  /** What it is, for screen readers: "Answer". */
  label: string;
  value: unknown;
  /** Levels that are open at first; large lists stay closed. */
  openDepth?: number;
  onSelect?: (path: JsonPath) => void;
}

/** A JSON document to look at. Only what is open is drawn, so documents of any size stay fast. */
export function JsonTree({ label, value, openDepth = 2, onSelect }: JsonTreeProps) {
  const [selected, setSelected] = useState<JsonPath>();
  const select = (path: JsonPath) => {
    setSelected(path);
    onSelect?.(path);
  };
  const path = selected ?? [];
  return (
    <section aria-label={label} className="min-w-0 rounded-md bg-sunken">
      <header className="flex min-h-9 flex-wrap items-center gap-x-1 border-line border-b py-0.5 pr-1 pl-3 text-sm">
        <code className="min-w-0 flex-1 truncate text-ink-2" title={formatJsonPath(path)}>
          {formatJsonPath(path)}
        </code>
        <CopyButton label="Copy the path" text={formatJsonPath(path)} />
        <CopyButton label="Copy the value" text={() => textOf(valueAt(value, path))} />
      </header>
      <ul className="overflow-x-auto py-2 pr-3 pl-1 font-mono text-sm leading-6">
        <JsonNode path={[]} value={value} openDepth={openDepth} selectedPath={selected} onSelect={select} />
      </ul>
    </section>
  );
}

/** A text as it is, everything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'undefined');
}

interface JsonNodeProps {
  name?: string | number;
  path: JsonPath;
  value: unknown;
  openDepth: number;
  selectedPath: JsonPath | undefined;
  onSelect: (path: JsonPath) => void;
}

const maxCharacters = 500;

/** One line of the tree, with what is below it while it is open. */
function JsonNode({ name, path, value, openDepth, selectedPath, onSelect }: JsonNodeProps) {
  const canOpen = isTree(value);
  const [isOpen, setOpen] = useState(() => canOpen && isOpenAtFirst(value, path.length, openDepth));
  const [shown, setShown] = useState(pageSize);
  const isSelected = selectedPath !== undefined && isSamePath(selectedPath, path);
  const entries = isOpen && canOpen ? entriesOf(value, shown) : undefined;
  return (
    <li>
      <div className="flex items-start">
        {canOpen ? (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={isOpen ? `Close ${name ?? 'all'}` : `Open ${name ?? 'all'}`}
            onClick={() => setOpen(!isOpen)}
            className="flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink [&_svg]:size-3.5"
          >
            {isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
          </button>
        ) : (
          <span className="w-6 shrink-0" />
        )}
        <button
          type="button"
          aria-pressed={isSelected}
          onClick={() => onSelect(path)}
          className={classes(
            'min-w-0 rounded-sm px-1 text-left',
            isSelected ? 'bg-selected text-accent-ink' : 'hover:bg-hover',
          )}
        >
          {name !== undefined && (
            <span className="text-ink-2">
              <NameText text={String(name)} />:{' '}
            </span>
          )}
          {canOpen ? (
            <span className="text-ink-3">{summaryOf(value)}</span>
          ) : (
            <Leaf value={value} isWhole={isSelected} />
          )}
        </button>
      </div>
      {entries && (
        <ul className="ml-3 border-line border-l pl-1">
          {entries.shown.map(([key, child]) => (
            <JsonNode
              key={key}
              name={key}
              path={[...path, key]}
              value={child}
              openDepth={openDepth}
              selectedPath={selectedPath}
              onSelect={onSelect}
            />
          ))}
          {entries.rest > 0 && (
            <li>
              <button
                type="button"
                onClick={() => setShown(shown + pageSize)}
                className="ml-6 rounded-sm px-1 text-accent-ink underline hover:bg-hover"
              >
                {entries.rest} more
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

/** A long text is cut until it is selected. */
function Leaf({ value, isWhole }: { value: unknown; isWhole: boolean }) {
  if (typeof value !== 'string') return <span className="text-running-ink">{String(value)}</span>;
  const isCut = !isWhole && value.length > maxCharacters;
  return (
    <span dir="auto" className="whitespace-pre-wrap break-words text-success-ink">
      <NameText text={quoted(isCut ? value.slice(0, maxCharacters) : value)} />
      {isCut && <span className="text-ink-3"> … {value.length - maxCharacters} more characters</span>}
    </span>
  );
}

/** How many entries of a list are drawn, and how many more each time. */
const pageSize = 100;
/** Longer ones stay closed at first. */
const maxOpenEntries = 50;

type Tree = Record<string, unknown> | readonly unknown[];

/** Whether a value has something below it. */
function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && sizeOf(value as Tree) > 0;
}

function isOpenAtFirst(value: Tree, depth: number, openDepth: number): boolean {
  return depth === 0 || (depth < openDepth && sizeOf(value) <= maxOpenEntries);
}

/** The first entries, and how many are left. */
function entriesOf(value: Tree, limit: number): { shown: [string | number, unknown][]; rest: number } {
  const shown: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, limit).map((entry: unknown, index): [number, unknown] => [index, entry])
    : Object.entries(value).slice(0, limit);
  return { shown, rest: Math.max(0, sizeOf(value) - limit) };
}

/** `{ 3 fields }`, `[ 12 entries ]`. */
function summaryOf(value: Tree): string {
  const size = sizeOf(value);
  if (Array.isArray(value)) return `[ ${size} ${size === 1 ? 'entry' : 'entries'} ]`;
  return `{ ${size} ${size === 1 ? 'field' : 'fields'} }`;
}

/** A text in quotes, with its lines on lines of their own; a backslash and an n that are part of it stay so. */
export function quoted(text: string): string {
  const lines = text.split('\n').map((line) => JSON.stringify(line).slice(1, -1));
  return `"${lines.join('\n')}"`;
}

function sizeOf(value: Tree): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
