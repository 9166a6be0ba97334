import type { Call } from '@svc/contract/calls';
import type { ListedConversation } from '@svc/contract/console-conversations';
import { Globe, PhoneIncoming, PhoneOutgoing } from 'lucide-react';
import { PageLink } from '../../app/workspace.tsx';
import { money } from '../../format/numbers.ts';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { NameText } from '../../kit/visible-text.tsx';
import { CallDuration } from './call-duration.tsx';
import { isOpen, otherSideOf, outcomeOf, ownSideOf } from './call-texts.ts';
import { EndCallButton } from './end-call-button.tsx';

type Row = ListedConversation & { call: Call };

const icons = { inbound: PhoneIncoming, outbound: PhoneOutgoing, web: Globe };

const columns: readonly Column<Row>[] = [
  { title: 'Call', cell: (row) => <With row={row} /> },
  {
    title: 'Bot',
    isSecondary: true,
    className: 'max-w-0 w-1/5',
    cell: ({ bot_name: name }) => (
      <span className="block truncate" title={name}>
        <NameText text={name} />
      </span>
    ),
  },
  {
    title: 'Outcome',
    cell: ({ call }) => (
      <span className="flex flex-col items-start gap-1 py-1">
        <StateBadge {...outcomeOf(call)} isWrapping />
        <span className="md:hidden">
          <EndButton call={call} />
        </span>
      </span>
    ),
  },
  {
    title: 'When',
    isSecondary: true,
    cell: ({ created_at: at }) => <TimeAgo at={at} className="whitespace-nowrap" />,
  },
  {
    title: 'Duration',
    isNumber: true,
    cell: ({ call }) => <CallDuration call={call} />,
  },
  {
    title: 'Cost',
    isNumber: true,
    isSecondary: true,
    cell: ({ call }) => money(call.cost_usd),
  },
  {
    title: 'Actions',
    isTitleHidden: true,
    isSecondary: true,
    isNumber: true,
    cell: ({ call }) => <EndButton call={call} />,
  },
];

export function CallTable({ calls }: { calls: readonly ListedConversation[] }) {
  const rows = calls.filter((row): row is Row => row.call !== undefined);
  return <DataTable label="Calls" columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

function EndButton({ call }: { call: Call }) {
  return isOpen(call) && <EndCallButton callId={call.call_id} size="small" />;
}

function With({ row: { id, call, bot_name: bot, created_at: at } }: { row: Row }) {
  const Icon = icons[call.direction];
  const own = ownSideOf(call);
  return (
    <span className="flex items-start gap-2 py-1">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" />
      <span className="min-w-0">
        <PageLink path={`/conversations/${id}`} className="font-medium tabular-nums hover:underline">
          {otherSideOf(call)}
        </PageLink>
        {own && <span className="block text-ink-3 text-xs tabular-nums">{own}</span>}
        <span className="block text-ink-3 text-xs md:hidden">
          <NameText text={bot} /> · <TimeAgo at={at} />
        </span>
      </span>
    </span>
  );
}
