import type { NodeFigures, SystemFigures } from '@svc/contract/console-system';
import type { ReactNode } from 'react';
import { figuresQuery } from '../../../api/system.ts';
import { useRead } from '../../../app/workspace.tsx';
import { bytes, count, plural } from '../../../format/numbers.ts';
import { StateBadge } from '../../../kit/labels.tsx';
import { LoadError, RowsLoading } from '../../../kit/placeholders.tsx';
import { Section } from './failed-jobs.tsx';
import { jobName } from './job-names.ts';
import { type Figure, totalsOf } from './totals.ts';

/** How busy the installation is. Read again every few seconds while the page is visible. */
export function Load() {
  const figures = useRead(figuresQuery);
  return (
    <Section title="Load" beside={<span className="text-ink-3 text-sm">of all workspaces together</span>}>
      {figures.isPending && <RowsLoading rows={3} />}
      {figures.isError && <LoadError query={figures} className="px-4 pb-2 md:px-6" />}
      {figures.data && <LoadFigures figures={figures.data} />}
    </Section>
  );
}

function LoadFigures({ figures }: { figures: SystemFigures }) {
  return (
    <>
      <dl className="grid grid-cols-2 border-line border-y bg-surface md:grid-cols-4">
        {totalsOf(figures).map((figure) => (
          <Tile key={figure.name} figure={figure} />
        ))}
      </dl>
      {figures.nodes.length > 1 && <NodeLoads nodes={figures.nodes} />}
      <Queues queues={figures.queues} />
    </>
  );
}

function Tile({ figure: { name, value, note, isHigh } }: { figure: Figure }) {
  return (
    <div className="-mb-px flex min-h-16 flex-col gap-0.5 border-line border-b px-4 py-2 md:px-6">
      <dt className="text-ink-2 text-sm">{name}</dt>
      <dd className="flex flex-wrap items-baseline gap-x-2">
        {isHigh ? (
          <StateBadge state="warning" text={value} />
        ) : (
          <span className="font-medium tabular-nums">{value}</span>
        )}
        {note && <span className="text-ink-3 text-sm">{note}</span>}
      </dd>
    </div>
  );
}

function NodeLoads({ nodes }: Pick<SystemFigures, 'nodes'>) {
  return (
    <ul aria-label="Load of each node" className="flex flex-col">
      {nodes.map(({ id, figures }) => (
        <Row key={id} name={<span className="font-mono">{id.slice(-12)}</span>}>
          {figures ? describeNode(figures) : 'did not answer'}
        </Row>
      ))}
    </ul>
  );
}

function describeNode(figures: NodeFigures): string {
  const { event_loop_delay_ms: delay } = figures;
  return [
    plural(figures.turns_in_progress, 'turn'),
    plural(figures.calls_in_progress, 'call'),
    plural(figures.stream_readers, 'reader'),
    ...(delay === null ? [] : [`event loop ${count(Math.round(delay))} ms`]),
    bytes(figures.memory_bytes),
  ].join(' · ');
}

function Queues({ queues }: Pick<SystemFigures, 'queues'>) {
  if (!queues)
    return <p className="px-4 py-2 text-sm text-warning-ink md:px-6">The queues could not be read.</p>;
  const busy = queues.filter(({ waiting, running }) => waiting > 0 || running > 0);
  if (busy.length === 0) return <p className="px-4 py-2 text-ink-2 text-sm md:px-6">Nothing waits.</p>;
  return (
    <ul aria-label="Queues" className="flex flex-col">
      {busy.map((queue) => (
        <Row key={queue.name} name={jobName(queue.name)}>
          {count(queue.waiting)} waiting, {count(queue.running)} running
          {queue.oldest_seconds > 0 && `, the oldest for ${count(queue.oldest_seconds)} s`}
        </Row>
      ))}
    </ul>
  );
}

function Row({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-x-4 border-line border-b px-4 py-1 text-sm md:px-6">
      <span className="min-w-28">{name}</span>
      <span className="text-ink-2 tabular-nums">{children}</span>
    </li>
  );
}
