import { CopyButton } from '../../kit/buttons.tsx';
import { JsonTree } from '../../kit/json-tree.tsx';
import { NameText } from '../../kit/labels.tsx';

/** Props: `label`; `value`, a text or anything that is JSON. Both can be copied. */
export function ValueView({ label, value }: { label: string; value: unknown }) {
  if (typeof value === 'object' && value !== null) {
    return (
      <div className="min-w-0">
        <h4 className="mb-1 font-medium text-ink-2 text-xs">{label}</h4>
        <JsonTree label={label} value={value} />
      </div>
    );
  }
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return (
    <section aria-label={label} className="min-w-0">
      <header className="flex items-center justify-between gap-2">
        <h4 className="font-medium text-ink-2 text-xs">{label}</h4>
        <CopyButton text={text} label={`Copy: ${label}`} className="size-6" />
      </header>
      <pre
        dir="auto"
        className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-md bg-sunken px-3 py-2 font-mono text-xs"
      >
        <NameText text={text || ' '} />
      </pre>
    </section>
  );
}
