import type { BotSettings } from '@svc/contract/bots';
import type { Call } from '@svc/contract/calls';
import type { ConsoleBot } from '@svc/contract/console-bots';
import type { ListedConversation } from '@svc/contract/console-conversations';
import type { ConversationDetail, ConversationStatus } from '@svc/contract/conversations';
import type { VoiceNumber } from '@svc/contract/voice-numbers';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowUp, Globe, Phone, PhoneIncoming, PhoneOff, PhoneOutgoing } from 'lucide-react';
import { useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { callQuery, endCall, numbersQuery, placeCall, voiceQuery } from '../../api/voice.ts';
import { BotSelect } from '../../app/bot-select.tsx';
import { useSubmit } from '../../app/use-submit.ts';
import { PageLink, TextLink, useRead, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../kit/buttons.tsx';
import { Cost } from '../../kit/cost.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { Dialog, FormDialog } from '../../kit/dialogs.tsx';
import { Select, TextField } from '../../kit/fields.tsx';
import { NameText, StateBadge, TimeAgo } from '../../kit/labels.tsx';
import {
  BarLoading,
  EmptyState,
  InlineError,
  LoadError,
  RowsLoading,
  ShowMore,
} from '../../kit/placeholders.tsx';
import { useLiveChanges } from '../../live/live-context.ts';
import { useConversationRows } from '../conversations/list/use-conversation-rows.ts';
import { CallDuration } from './call-duration.tsx';
import { isOpen, otherSideOf, outcomeOf, outcomes, ownSideOf } from './call-texts.ts';
import { describeDestinations } from './dial-texts.ts';
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
      {call === 'new' && can('operator') && <CallForm onPlaced={showNew} />}
      {call !== undefined && call !== 'new' && can('operator') && <FollowedCall callId={call} />}
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
    cell: ({ call }) => <Cost {...call} />,
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

/** Has a bot call a number. */
function CallForm({ onPlaced }: { onPlaced: () => void }) {
  const { api } = useWorkspace();
  const [, setSearch] = useSearchState();
  const bots = useRead(botsQuery);
  const numbers = useRead(numbersQuery);
  const voice = useRead(voiceQuery);
  const [botId, setBotId] = useState<string | null>(null);
  const [to, setTo] = useState('');
  const callers = callersOf(bots.data ?? [], numbers.data ?? []);
  const chosen = botId ?? callers[0]?.id ?? null;
  const form = useSubmit(
    async () => {
      const body = { bot_id: chosen ?? '', to_number: to.replaceAll(/[\s()./-]/g, '') };
      setSearch({ call: (await placeCall(api, body)).data.call_id });
      onPlaced();
    },
    { to_number: to },
  );
  const isKnown = bots.data !== undefined && numbers.data !== undefined;
  return (
    <FormDialog
      title="Call me"
      action="Call"
      isBusy={form.isBusy}
      isDisabled={chosen === null || to.trim() === ''}
      error={form.error ?? bots.error ?? numbers.error}
      onSubmit={() => void form.submit()}
      onClose={() => setSearch({ call: undefined })}
    >
      {isKnown && callers.length === 0 ? (
        <p className="text-ink-2">
          No bot can place calls yet. A bot needs “May place calls” on the Voice tab of{' '}
          <TextLink path="/bots">its editor</TextLink>, and{' '}
          <TextLink path="/voice/numbers">a number that it calls from</TextLink>.
        </p>
      ) : (
        <>
          <Select
            label="Which bot calls?"
            options={callers.map(({ id, name, from }) => ({
              value: id,
              label: name,
              description: `from ${from}`,
            }))}
            value={chosen}
            onChange={setBotId}
          />
          <TextField
            label="Your number"
            type="tel"
            autoFocus
            autoComplete="tel"
            placeholder="+1 202 555 0100"
            description={`With the country code. ${voice.data ? describeDestinations(voice.data.dialing) : ''}`}
            value={to}
            onChange={setTo}
            error={form.at('to_number')}
          />
        </>
      )}
    </FormDialog>
  );
}

/** A call that was placed, while it lasts. */
function FollowedCall({ callId }: { callId: string }) {
  const { api } = useWorkspace();
  const [, setSearch] = useSearchState();
  const close = () => setSearch({ call: undefined });
  const client = useQueryClient();
  const options = callQuery(api, callId);
  const { data, error, refetch } = useQuery(options);
  useLiveChanges(({ object, id, data: row }) => {
    if (object !== 'conversation' || id !== callId || !row) return;
    const { call } = row as ListedConversation;
    client.setQueryData(options.queryKey, (before) => withCall(before, call));
  });
  const call = data?.call;
  const isRunning = call !== undefined && isOpen(call);
  return (
    <Dialog
      title={call ? `Call ${otherSideOf(call).toLowerCase()}` : 'Call'}
      onClose={close}
      size="small"
      actions={
        <>
          {isRunning && <EndCallButton callId={callId} />}
          {call && !isRunning && <Button onPress={() => setSearch({ call: 'new' })}>Call again</Button>}
          <Button onPress={close}>Close</Button>
        </>
      }
    >
      {error && !data && <InlineError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <BarLoading className="w-1/2" label="Loading the call" />}
      {call && (
        <div className="flex flex-col gap-2">
          <p role="status" className="flex items-center gap-3 text-lg">
            <StateBadge {...outcomeOf(call)} isFilled />
            <CallDuration call={call} />
          </p>
          {call.end_detail && <p className="text-ink-2">{call.end_detail}</p>}
          {isRunning && <p className="text-ink-2">You can close this: the call continues.</p>}
          <TextLink path={`/conversations/${callId}`} className="w-fit">
            {isRunning ? 'Follow the conversation' : 'Read the conversation'}
          </TextLink>
        </div>
      )}
    </Dialog>
  );
}

function withCall(before: ConversationDetail | undefined, call: ListedConversation['call']) {
  if (!before?.call || !call) return before;
  return { ...before, status: call.status, call: { ...before.call, ...call } };
}

type CallerBot = Pick<ConsoleBot, 'id' | 'name' | 'status' | 'settings'>;
type CallerNumber = Pick<VoiceNumber, 'bot_id' | 'phone_number' | 'is_outbound_primary'>;

/** The bots that can place calls, and the number that each calls from. */
function callersOf(
  bots: readonly CallerBot[],
  numbers: readonly CallerNumber[],
): { id: string; name: string; from: string }[] {
  return bots.flatMap(({ id, name, status, settings }) => {
    const { outbound_calls_enabled: mayCall } = JSON.parse(settings) as BotSettings;
    const own = numbers.find((number) => number.bot_id === id && number.is_outbound_primary);
    return status === 'active' && mayCall && own ? [{ id, name, from: own.phone_number }] : [];
  });
}

/** Hangs up. The call's own state says when it has. */
function EndCallButton({ callId, size = 'normal' }: { callId: string; size?: 'small' | 'normal' }) {
  const { api, can } = useWorkspace();
  const ending = useMutation({ mutationFn: () => endCall(api, callId) });
  if (!can('operator')) return null;
  return (
    <>
      <Button
        size={size}
        icon={<PhoneOff aria-hidden />}
        isBusy={ending.isPending}
        onPress={() => ending.mutate()}
      >
        End call
      </Button>
      {ending.error && <InlineError error={ending.error} />}
    </>
  );
}
