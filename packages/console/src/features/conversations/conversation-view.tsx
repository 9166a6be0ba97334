import { ApiError } from '@svc/client/api-error';
import type { FullEvent } from '@svc/client/conversation';
import { applyFullEvents } from '@svc/client/full-conversation';
import { rulesOf } from '@svc/contract/channels';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Activity,
  ChevronLeft,
  Download,
  Ellipsis,
  FlaskConical,
  Hand,
  Info,
  LogOut,
  PowerOff,
  Square,
  Trash2,
} from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { keys } from '../../api/client.ts';
import {
  type ConversationState,
  conversationQuery,
  handBack,
  personExportHref,
  replyAsPerson,
  stopTurn,
} from '../../api/conversations.ts';
import { endCall } from '../../api/voice.ts';
import { useShortcuts } from '../../app/shortcuts/use-shortcuts.ts';
import { PageLink, TextLink, useParam, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { channelName } from '../../format/channels.ts';
import { download } from '../../format/csv.ts';
import { count, plural } from '../../format/numbers.ts';
import { serverNow } from '../../format/server-time.ts';
import { exactTime } from '../../format/time.ts';
import { Button, CopyButton, IconButton } from '../../kit/buttons.tsx';
import { Cost } from '../../kit/cost.tsx';
import { NameText, StateBadge, TimeAgo } from '../../kit/labels.tsx';
import { Menu } from '../../kit/menu.tsx';
import { Bar, EmptyState, InlineError, LoadError, Loading } from '../../kit/placeholders.tsx';
import { SidePanel } from '../../kit/side-panel.tsx';
import { useLiveChanges } from '../../live/live-context.ts';
import { useConversationEvents } from '../../live/use-conversation-events.ts';
import { Composer } from '../chat/composer.tsx';
import { isOpen } from '../voice/call-texts.ts';
import { CallHeader } from './call/call-parts.tsx';
import { playFrom } from './call/recording.tsx';
import { ConversationDialogs, type OpenDialog } from './conversation-dialogs.tsx';
import { ConversationLog } from './conversation-log.tsx';
import { statusOf } from './conversation-status.ts';
import { replyDraft } from './reply-drafts.ts';
import { TracePanel } from './trace/trace-panel.tsx';

/** One conversation, beside the list. */
export function ConversationView() {
  const id = useParam('conversation');
  return <OpenConversation id={id} key={id} />;
}

/** Once it is deleted, nothing of it is kept or read any more. */
function OpenConversation({ id }: { id: string }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [isGone, setGone] = useState(false);
  useEffect(() => {
    if (isGone) client.removeQueries({ queryKey: keys.one(api, 'conversation', id) });
  }, [isGone, client, api, id]);
  return isGone ? <NoConversation /> : <LoadedConversation id={id} onGone={() => setGone(true)} />;
}

function NoConversation() {
  return (
    <EmptyState
      title="This conversation does not exist"
      action={
        <TextLink path="/conversations" className="underline-offset-2">
          All conversations
        </TextLink>
      }
    >
      It was deleted, or the address is wrong.
    </EmptyState>
  );
}

function LoadedConversation({ id, onGone }: { id: string; onGone: () => void }) {
  const { query, state, problem } = useConversation(id);
  const isGone = problem?.code === 'NOT_FOUND' || isNotFound(query.error);
  const reportGone = useEffectEvent(onGone);
  useEffect(() => {
    if (isGone) reportGone();
  }, [isGone]);
  if (isGone) return <NoConversation />;
  if (state) return <ConversationPane state={state} />;
  if (query.error) return <LoadError query={query} className="p-4" />;
  return <ConversationLoading />;
}

function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function ConversationLoading() {
  return (
    <Loading label="Loading the conversation">
      <div className="flex h-full w-full flex-col">
        <div className="flex flex-col gap-2 border-line border-b px-4 py-3">
          <Bar className="w-1/3" />
          <Bar className="h-3 w-1/2" />
        </div>
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-6 p-6">
          <Bar className="h-10 w-2/5 self-end" />
          <Bar className="h-16 w-3/4" />
          <Bar className="h-10 w-1/3 self-end" />
          <Bar className="h-24 w-3/4" />
        </div>
      </div>
    </Loading>
  );
}

/** After these something is known that the events do not contain, such as what a reply cost or who answered. */
const settling = new Set<FullEvent['type']>([
  'turn.completed',
  'turn.interrupted',
  'turn.failed',
  'approval.resolved',
]);

/** A turn that is stopped to delete its conversation leaves nothing to read. */
function isSettling({ type, data }: FullEvent): boolean {
  if (type === 'turn.interrupted' && data.by === 'erasure') return false;
  return settling.has(type);
}

/** A conversation that stays current while it is shown. */
function useConversation(id: string) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const options = conversationQuery(api, id);
  const query = useQuery(options);
  const { data: state, refetch } = query;
  const problem = useConversationEvents(id, {
    after: state?.lastEventId,
    isEnabled: state !== undefined,
    onEvents(events) {
      const now = new Date(serverNow());
      client.setQueryData(options.queryKey, (before) => before && applyFullEvents(before, events, now));
      if (events.some(isSettling)) void refetch();
    },
  });
  // The state of a call, its latencies and what runs after it are not among the events.
  useLiveChanges((change) => {
    if (state?.conversation.call && change.object === 'conversation' && change.id === id) void refetch();
  });
  const isIncomplete = state?.isIncomplete ?? false;
  useEffect(() => {
    if (isIncomplete) void refetch();
  }, [isIncomplete, refetch]);
  return { query, state, problem };
}

/** The log with its header and composer, and what is open beside it. The address says what that is. */
function ConversationPane({ state }: { state: ConversationState }) {
  const { conversation } = state;
  const [search, setSearch] = useSearchState();
  const [dialog, setDialog] = useState<OpenDialog>();
  const { panel } = search;
  const close = () => setSearch({ panel: undefined, turn: undefined, step: undefined, message: undefined });
  const toggle = (name: 'trace' | 'info') =>
    name === panel ? close() : setSearch({ panel: name }, { push: true });
  const stop = useStop(conversation);
  const player = useRef<HTMLAudioElement>(null);
  useShortcuts('Conversation', [
    { keys: '.', label: 'Stop', run: stop.stop },
    { keys: 't', label: 'Trace', run: () => toggle('trace') },
    { keys: 'i', label: 'Details', run: () => toggle('info') },
    ...(panel ? [{ keys: 'Escape', label: 'Close the panel', run: close }] : []),
  ]);
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-1">
      <section aria-label={conversation.title} className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConversationHeader
          conversation={conversation}
          stop={stop}
          panel={panel}
          onPanel={toggle}
          onDialog={setDialog}
        />
        {conversation.call && <CallHeader call={conversation.call} player={player} />}
        <ConversationLog
          state={state}
          markedId={search['message']}
          onTrace={(turn) => setSearch({ panel: 'trace', turn, step: undefined }, { push: true })}
          onTruncate={(messageId) => setDialog({ name: 'truncate', messageId })}
          onHear={(atMs) => playFrom(player.current, atMs)}
        />
        <ConversationFooter conversation={conversation} />
      </section>
      {panel === 'trace' && <TracePanel conversation={conversation} onClose={close} />}
      {panel === 'info' && <InfoPanel conversation={conversation} onClose={close} />}
      <ConversationDialogs conversation={conversation} open={dialog} onClose={() => setDialog(undefined)} />
    </div>
  );
}

interface ConversationHeaderProps {
  conversation: ConsoleConversation;
  stop: Stop;
  panel: string | undefined;
  onPanel: (name: 'trace' | 'info') => void;
  onDialog: (dialog: OpenDialog) => void;
}

function ConversationHeader({ conversation, stop, panel, onPanel, onDialog }: ConversationHeaderProps) {
  const { api, can } = useWorkspace();
  const { title, bot, external_user_id: user } = conversation;
  // Tests are the team's own: their user has no sessions.
  const person = conversation.channel === 'test' ? null : user;
  // A call has a header of its own, which says how it goes.
  const shown = conversation.call ? undefined : statusOf(conversation, conversation.turns.at(-1)?.status);
  return (
    <header className="border-line border-b bg-surface px-4 py-2">
      <div className="flex items-center gap-x-2">
        <PageLink
          path="/conversations"
          aria-label="All conversations"
          className="-ml-1 rounded-sm p-1 lg:hidden"
        >
          <ChevronLeft aria-hidden className="size-4" />
        </PageLink>
        <h2 dir="auto" className="min-w-0 flex-1 truncate font-semibold" title={title}>
          <NameText text={title || 'Conversation'} />
        </h2>
        <div className="flex items-center gap-1">
          {stop.canStop && (
            <Button size="small" icon={<Square aria-hidden />} isBusy={stop.isStopping} onPress={stop.stop}>
              <span className="max-sm:sr-only">{conversation.call ? 'End call' : 'Stop'}</span>
            </Button>
          )}
          <IconButton
            label="Trace"
            icon={<Activity aria-hidden />}
            hint="t"
            aria-pressed={panel === 'trace'}
            onPress={() => onPanel('trace')}
          />
          <IconButton
            label="Details"
            icon={<Info aria-hidden />}
            aria-pressed={panel === 'info'}
            onPress={() => onPanel('info')}
          />
          {can('operator') && (
            <Menu
              label="More"
              entries={[
                {
                  label: 'Save as scenario',
                  icon: <FlaskConical aria-hidden />,
                  onAction: () => onDialog({ name: 'scenario' }),
                },
                person !== null && {
                  label: 'Export their data',
                  icon: <Download aria-hidden />,
                  onAction: () => download(personExportHref(api, person)),
                },
                person !== null && {
                  label: 'End sessions…',
                  icon: <LogOut aria-hidden />,
                  onAction: () => onDialog({ name: 'endSessions', person }),
                },
                can('owner') && {
                  label: 'Delete conversation',
                  icon: <Trash2 aria-hidden />,
                  isDangerous: true,
                  isFirstOfGroup: true,
                  onAction: () => onDialog({ name: 'delete' }),
                },
              ]}
            >
              <IconButton label="More" icon={<Ellipsis aria-hidden />} />
            </Menu>
          )}
        </div>
      </div>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-ink-3 text-sm">
        {shown && <StateBadge {...shown} isFilled />}
        <PageLink path={`/bots/${conversation.bot_id}/prompt`} className="hover:underline">
          <NameText text={bot.name} />
        </PageLink>
        <span aria-hidden>·</span>
        <span>{channelName(conversation.channel)}</span>
        {person !== null && (
          <>
            <span aria-hidden>·</span>
            <PageLink
              path="/conversations"
              search={{ user: person }}
              className="max-w-48 truncate hover:underline"
            >
              <NameText text={person} />
            </PageLink>
          </>
        )}
        <span aria-hidden>·</span>
        <span>{plural(conversation.message_count, 'message')}</span>
        <span aria-hidden>·</span>
        <span>
          <Cost {...conversation} />
        </span>
      </p>
      {stop.error && <InlineError error={stop.error} />}
    </header>
  );
}

const modifier = /mac|iphone|ipad/i.test(navigator.platform) ? '⌘' : 'Ctrl+';

/** Where people of the team step in. */
function ConversationFooter({ conversation }: { conversation: ConsoleConversation }) {
  const { api, can, user } = useWorkspace();
  const { id, needs_human: needsHuman } = conversation;
  const back = useMutation({ mutationFn: () => handBack(api, id) });
  const hasReader = rulesOf(conversation.channel).continuedByUser;
  const canReply = can('operator') && hasReader;
  return (
    <footer>
      {hasReader && conversation.bot.is_inactive && <InactiveNote conversation={conversation} />}
      {needsHuman && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-t bg-paused-tint px-4 py-2 text-paused-ink text-sm">
          <Hand aria-hidden className="size-4 shrink-0" />
          <span className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
            <strong className="font-semibold">The bot asked for a person</strong>{' '}
            <TimeAgo at={needsHuman.at} />: <NameText text={needsHuman.reason} />
          </span>
          {can('operator') && (
            <Button size="small" isBusy={back.isPending} onPress={() => back.mutate()}>
              Hand back
            </Button>
          )}
          {back.error && <InlineError error={back.error} />}
        </div>
      )}
      {canReply && (
        <Composer
          label="Reply as a person"
          placeholder={`Reply as ${user.name}… (${modifier}Enter sends)`}
          sendsOnEnter={false}
          sendLabel="Reply"
          onSend={(text) => replyAsPerson(api, id, text, user.name)}
          draft={replyDraft(user.id, id)}
        />
      )}
      {!can('operator') && <p className="border-line border-t px-4 py-2 text-ink-3 text-sm">View only</p>}
    </footer>
  );
}

/** New messages of the user are refused then. */
function InactiveNote({ conversation: { bot, bot_id: botId } }: { conversation: ConsoleConversation }) {
  const { can } = useWorkspace();
  return (
    <p className="flex items-center gap-3 border-line border-t bg-warning-tint px-4 py-2 text-sm text-warning-ink">
      <PowerOff aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <NameText text={bot.name} /> is deactivated: the user gets no more answers here.{' '}
        <PageLink path={`/bots/${botId}/prompt`} className="underline underline-offset-2">
          {can('operator') ? 'Open the bot to activate it' : 'Open the bot'}
        </PageLink>
      </span>
    </p>
  );
}

/** Who, where, when and how much, with ids to copy. */
function InfoPanel({ conversation, onClose }: { conversation: ConsoleConversation; onClose: () => void }) {
  const { bot, usage, external_user_id: user, run } = conversation;
  const fixed = conversation.turns.findLast((turn) => turn.bot_version !== null)?.bot_version;
  const metadata = Object.entries(conversation.metadata);
  return (
    <SidePanel title="Details" onClose={onClose}>
      <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-2 p-4 text-sm">
        <Row name="User">
          {user ? (
            <>
              <TextLink path="/conversations" search={{ user }} className="break-all">
                <NameText text={user} />
              </TextLink>
              <CopyButton text={user} label="Copy the user's id" className="size-6" />
            </>
          ) : (
            'not known'
          )}
        </Row>
        <Row name="Channel">{channelName(conversation.channel)}</Row>
        <Row name="Bot">
          <TextLink path={`/bots/${conversation.bot_id}/prompt`}>
            <NameText text={bot.name} />
          </TextLink>
        </Row>
        <Row name="Version">{versionText(fixed, bot.version)}</Row>
        {run && <Row name="Started by">{run.trigger}</Row>}
        <Row name="Created">{exactTime(new Date(conversation.created_at))}</Row>
        {conversation.last_message_at && (
          <Row name="Last message">{exactTime(new Date(conversation.last_message_at))}</Row>
        )}
        <Row name="Cost">
          <Cost {...conversation} />
        </Row>
        <Row name="Tokens">
          {count(usage.input_tokens)} read
          {usage.cached_input_tokens > 0 && ` (${count(usage.cached_input_tokens)} cached)`},{' '}
          {count(usage.output_tokens)} written
        </Row>
        <Id name="Conversation" id={conversation.id} />
        <Id name="Bot id" id={conversation.bot_id} />
      </dl>
      {metadata.length > 0 && (
        <section className="border-line border-t p-4">
          <h3 className="mb-2 font-medium text-sm">Metadata</h3>
          <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-2 text-sm">
            {metadata.map(([name, value]) => (
              <Row key={name} name={name}>
                <span className="break-all">
                  <NameText text={value} />
                </span>
              </Row>
            ))}
          </dl>
        </section>
      )}
    </SidePanel>
  );
}

/** Drafts are numbered below zero, which is not shown. */
function versionText(fixed: number | null | undefined, current: number): string {
  if (!fixed) return String(current);
  return fixed < 0
    ? `an unsaved draft, the current one is ${current}`
    : `${fixed}, the current one is ${current}`;
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="self-center text-ink-3">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-1">{children}</dd>
    </>
  );
}

function Id({ name, id }: { name: string; id: string }) {
  return (
    <Row name={name}>
      <code className="break-all text-xs">{id}</code>
      <CopyButton text={id} label={`Copy: ${name}`} className="size-6" />
    </Row>
  );
}

/** Stops what is running in a conversation; a call as a whole. */
function useStop({ id, status, call }: Pick<ConsoleConversation, 'id' | 'status' | 'call'>) {
  const { api, can } = useWorkspace();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => void (await (call ? endCall(api, id) : stopTurn(api, id))),
  });
  const isRunning = call ? isOpen(call) : status === 'running' || status === 'paused';
  const canStop = can('operator') && isRunning;
  return {
    canStop,
    isStopping: isPending,
    error,
    stop: () => {
      if (canStop && !isPending) mutate();
    },
  };
}

type Stop = ReturnType<typeof useStop>;
