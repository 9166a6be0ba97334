import { useState } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { formatJsonPath, type JsonPath } from './json-path.ts';
import { JsonNode } from './json-tree-node.tsx';

interface JsonTreeProps {
  /** What it is, for screen readers: "Answer". */
  label: string;
  value: unknown;
  /** Levels that are open at first; large lists stay closed. */
  openDepth?: number;
  /** Offers this for the value that was clicked, such as "Give only this to the model". */
  action?: { label: string; run: (path: JsonPath, value: unknown) => void };
  onSelect?: (path: JsonPath, value: unknown) => void;
}

/** A JSON document to look at. Only what is open is drawn, so documents of any size stay fast. */
export function JsonTree({ label, value, openDepth = 2, action, onSelect }: JsonTreeProps) {
  const [selected, setSelected] = useState<{ path: JsonPath; value: unknown }>();
  const select = (path: JsonPath, chosen: unknown) => {
    setSelected({ path, value: chosen });
    onSelect?.(path, chosen);
  };
  const shown = selected ?? { path: [], value };
  return (
    <section aria-label={label} className="min-w-0 rounded-md bg-sunken">
      <header className="flex min-h-9 flex-wrap items-center gap-x-1 border-line border-b py-0.5 pr-1 pl-3 text-sm">
        <code className="min-w-0 flex-1 truncate text-ink-2" title={formatJsonPath(shown.path)}>
          {formatJsonPath(shown.path)}
        </code>
        {selected && action && (
          <Button size="small" onPress={() => action.run(selected.path, selected.value)}>
            {action.label}
          </Button>
        )}
        <CopyButton label="Copy the path" text={formatJsonPath(shown.path)} />
        <CopyButton label="Copy the value" text={() => textOf(shown.value)} />
      </header>
      <ul className="overflow-x-auto py-2 pr-3 pl-1 font-mono text-sm leading-6">
        <JsonNode
          path={[]}
          value={value}
          openDepth={openDepth}
          selectedPath={selected?.path}
          onSelect={select}
        />
      </ul>
    </section>
  );
}

/** A text as it is, everything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'undefined');
}
