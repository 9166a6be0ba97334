import { useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { formatJsonPath, type JsonPath, valueAt } from './json-path.ts';
import { JsonNode } from './json-tree-node.tsx';

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
