import type { Call } from '@svc/contract/calls';
import type { ListedConversation } from '@svc/contract/console-conversations';
import type { ConversationStatus } from '@svc/contract/conversations';
import { ArrowUp, Globe, Phone, PhoneIncoming, PhoneOutgoing } from 'lucide-react';
import { BotSelect } from '../../app/bot-select.tsx';
import { PageLink, TextLink, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { money } from '../../format/numbers.ts';
import { Button } from '../../kit/buttons.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { Select } from '../../kit/fields.tsx';
import { EmptyState, LoadError, RowsLoading, ShowMore } from '../../kit/placeholders.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { NameText } from '../../kit/visible-text.tsx';
import { useConversationRows } from '../conversations/list/use-conversation-rows.ts';
import { CallDuration } from './call-duration.tsx';
import { CallMeDialog } from './call-me-dialog.tsx';
import { isOpen, otherSideOf, outcomeOf, outcomes, ownSideOf } from './call-texts.ts';
import { EndCallButton } from './end-call-button.tsx';
import { VoiceNotice } from './voice-notice.tsx';
import { VoicePage } from './voice-page.tsx';

const every = 'every';

/** Calls as they happen, and how they ended. */
export function CallsPage() {
  const { can } = useWorkspace();
  const [{ bot, status, call }, setSearch] = useSearchState();
  const isFiltered = bot !== undefined || status !== undefined;
  const { list, rows, newCount, showNew } = useConversationRows({
    channel: 'voice',
    bot_id: bot,
    status: status as ConversationStatus | undefined,
  });
  const callMe = (
    <Button look="primary" icon={<PhoneOutgoing aria-hidden />} onPress={() => setSearch({ call: 'new' })}>
      Call me
    </Button>
  );
  return (
    <VoicePage tab="calls" actions={can('operator') && callMe}>
      <VoiceNotice isFolded />
      <div className="flex flex-wrap items-end gap-2 px-4 py-3 md:px-6">
        <BotSelect
          label="Bot"
          hideLabel
          value={bot}
          onChange={(id) => setSearch({ bot: id }, { push: true })}
          className="w-44 max-sm:flex-1"
        />
        <Select
          label="Outcome"
          hideLabel
          className="w-44 max-sm:flex-1"
          options={[{ value: every, label: 'Every outcome' }, ...outcomes]}
          value={status ?? every}
          onChange={(next) => setSearch({ status: next === every ? undefined : next }, { push: true })}
        />
        {isFiltered && (
          <Button look="quiet" onPress={() => setSearch({ bot: undefined, status: undefined })}>
            Clear
          </Button>
        )}
        {newCount > 0 && (
          <Button icon={<ArrowUp aria-hidden />} onPress={showNew}>
            {newCount} new
          </Button>
        )}
      </div>
      {list.isPending && <RowsLoading />}
      {list.isError && <LoadError query={list} className="px-4 pb-4 md:px-6" />}
      {list.isSuccess && rows.length === 0 && <NoCalls isFiltered={isFiltered} />}
      <CallTable calls={rows} />
      <ShowMore list={list} label="Show older calls" />
      {call !== undefined && can('operator') && (
        <CallMeDialog
          call={call}
          onPlaced={(id) => {
            setSearch({ call: id });
            showNew();
          }}
          onAgain={() => setSearch({ call: 'new' })}
          onClose={() => setSearch({ call: undefined })}
        />
      )}
    </VoicePage>
  );
}

function NoCalls({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No call matches">Clear a filter to see more.</EmptyState>;
  return (
    <EmptyState
      icon={<Phone aria-hidden />}
      title="Calls with your bots appear here"
      action={
        <TextLink path="/voice/numbers" className="font-medium underline-offset-2">
          Connect a number
        </TextLink>
      }
    >
      Each one as it happens: the caller, how it ended, what was said and how fast the bot answered.
    </EmptyState>
  );
}

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

function CallTable({ calls }: { calls: readonly ListedConversation[] }) {
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
