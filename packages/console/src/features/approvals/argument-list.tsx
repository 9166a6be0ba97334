import { visibleJson } from '@svc/contract/visible-text';
import { VisibleText } from '../../kit/visible-text.tsx';

/** The exact arguments, one per row. */
export function ArgumentList({ value }: { value: Record<string, unknown> }) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <p className="text-ink-3">No arguments.</p>;
  return (
    <dl className="grid grid-cols-[minmax(5rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-base">
      {entries.map(([name, argument]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="max-w-40 break-words text-ink-2 sm:max-w-60">
            <VisibleText text={name} />
          </dt>
          <dd className="min-w-0">
            <ArgumentValue value={argument} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ArgumentValue({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    // Quotes show where a text begins and ends: spaces there matter too.
    return (
      <span className="block max-h-80 overflow-y-auto whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">
        <span className="select-none text-ink-3">"</span>
        <bdi>
          <VisibleText text={value} />
        </bdi>
        <span className="select-none text-ink-3">"</span>
      </span>
    );
  }
  return (
    <span className="block max-h-80 overflow-y-auto whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">
      {visibleJson(value) ?? 'undefined'}
    </span>
  );
}
