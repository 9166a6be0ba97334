import type { RunEntry } from '@svc/contract/run-history';
import { PageLink } from '../../app/workspace.tsx';
import { money } from '../../format/numbers.ts';
import { serverNow } from '../../format/server-time.ts';
import { duration } from '../../format/time.ts';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { durationOf, reasonOf, runStates, triggerNames } from './run-states.ts';

const columns: readonly Column<RunEntry>[] = [
  { title: 'Autonomous agent', cell: (entry) => <EntryName entry={entry} /> },
  { title: 'State', cell: (entry) => <EntryState entry={entry} /> },
  { title: 'Started', cell: (entry) => <TimeAgo at={entry.at} className="whitespace-nowrap" /> },
  {
    title: 'By',
    isSecondary: true,
    cell: (entry) => <span className="text-ink-2">{triggerNames[entry.trigger]}</span>,
  },
  {
    title: 'Took',
    isNumber: true,
    isSecondary: true,
    className: 'whitespace-nowrap',
    cell: (entry) => {
      const milliseconds = durationOf(entry, serverNow());
      return milliseconds === undefined ? '–' : duration(milliseconds);
    },
  },
  {
    title: 'Cost',
    isNumber: true,
    isSecondary: true,
    cell: (entry) => (entry.cost_usd === null ? '–' : money(entry.cost_usd)),
  },
  {
    title: 'Reason or instructions',
    isSecondary: true,
    className: 'max-w-0 w-1/3',
    cell: (entry) => {
      const text = reasonOf(entry);
      return (
        <span className="block truncate text-ink-2" title={text}>
          {text}
        </span>
      );
    },
  },
];

export function HistoryTable({ entries }: { entries: readonly RunEntry[] }) {
  return <DataTable label="Runs" columns={columns} rows={entries} keyOf={({ id }) => id} />;
}

function EntryName({ entry }: { entry: RunEntry }) {
  const reason = reasonOf(entry);
  return (
    <>
      {entry.conversation_id ? (
        <PageLink path={`/conversations/${entry.conversation_id}`} className="font-medium hover:underline">
          {entry.bot_name}
        </PageLink>
      ) : (
        <span className="font-medium">{entry.bot_name}</span>
      )}
      {reason && <span className="line-clamp-2 text-ink-2 text-xs md:hidden">{reason}</span>}
    </>
  );
}

function EntryState({ entry }: { entry: RunEntry }) {
  const { state, text } = runStates[entry.status];
  const isOpen = entry.status === 'running' || entry.status === 'paused';
  const shown = isOpen ? `${text} ${entry.iterations}/${entry.max_iterations}` : text;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <StateBadge state={state} text={shown} />
      {entry.webhook?.status === 'failed' && <StateBadge state="warning" text="Webhook failed" />}
    </span>
  );
}
