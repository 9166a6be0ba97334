import { ApiError } from '@svc/client/api-error';
import type { FullEvent } from '@svc/client/conversation';
import { applyFullEvents } from '@svc/client/full-conversation';
import type { ConsoleConversation } from '@svc/contract/console-conversation';
import type { ListedConversation } from '@svc/contract/console-conversations';
import type { Looker } from '@svc/contract/live';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Activity,
  Braces,
  ChevronLeft,
  Download,
  Ellipsis,
  Eye,
  FlaskConical,
  Info,
  LogOut,
  Square,
  Trash2,
} from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { keys } from '../../api/client.ts';
import {
  type ConversationState,
  conversationQuery,
  personExportHref,
  rereadBranches,
  stopTurn,
} from '../../api/conversations.ts';
import { membersQuery } from '../../api/members.ts';
import { endCall } from '../../api/voice.ts';
import { useShortcuts } from '../../app/shortcuts/use-shortcuts.ts';
import { setTechnical, useTechnical } from '../../app/technical.ts';
import { PageLink, TextLink, useParam, useRead, useSearchState, useWorkspace } from '../../app/workspace.tsx';
import { channelName } from '../../format/channels.ts';
import { download } from '../../format/csv.ts';
import { plural } from '../../format/numbers.ts';
import { isMadeUp, madeUpHint, personName } from '../../format/person-name.ts';
import { serverNow } from '../../format/server-time.ts';
import { Button, IconButton } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { Cost } from '../../kit/cost.tsx';
import { NameText, StateBadge } from '../../kit/labels.tsx';
import { Menu } from '../../kit/menu.tsx';
import { Bar, EmptyState, InlineError, LoadError, Loading } from '../../kit/placeholders.tsx';
import { useLiveChanges } from '../../live/live-context.ts';
import { useConversationEvents } from '../../live/use-conversation-events.ts';
import { useLookers } from '../../live/use-lookers.ts';
import { isOpen } from '../voice/call-texts.ts';
import { useRegenerate } from './branches/use-regenerate.ts';
import { useVersion } from './branches/use-version.ts';
import { VersionBar } from './branches/version-bar.tsx';
import { CallHeader } from './call/call-parts.tsx';
import { playFrom } from './call/recording.tsx';
import { ConversationDialogs, type OpenDialog } from './conversation-dialogs.tsx';
import { ConversationFooter } from './conversation-footer.tsx';
import { ConversationLog } from './conversation-log.tsx';
import { latestActOf, statusOf } from './conversation-status.ts';
import { InboxBar } from './inbox/inbox-bar.tsx';
import { Labels } from './inbox/labels.tsx';
import { useSeeMentions } from './inbox/use-see-mentions.ts';
import { useUserTyping } from './inbox/use-user-typing.ts';
import { WhoLine } from './inbox/who-line.tsx';
import { InfoPanel } from './info-panel.tsx';
import { TracePanel } from './trace/trace-panel.tsx';
import { withUserName } from './user-card.tsx';

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
  const { query, state, problem, isUserTyping } = useConversation(id);
  const isGone = problem?.code === 'NOT_FOUND' || isNotFound(query.error);
  const reportGone = useEffectEvent(onGone);
  useEffect(() => {
    if (isGone) reportGone();
  }, [isGone]);
  if (isGone) return <NoConversation />;
  if (state) return <ConversationPane state={state} isUserTyping={isUserTyping} />;
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
  const user = useUserTyping();
  const problem = useConversationEvents(id, {
    after: state?.lastEventId,
    isEnabled: state !== undefined,
    onEvents(events) {
      user.note(events);
      const now = new Date(serverNow());
      client.setQueryData(options.queryKey, (before) => before && applyFullEvents(before, events, now));
      if (events.some(isSettling)) void refetch();
      if (events.some(({ type }) => type === 'conversation.branched' || type === 'conversation.truncated'))
        void rereadBranches(client, api, id);
    },
  });
  useLiveChanges(({ object, id: changed, data }) => {
    if (object !== 'conversation' || changed !== id) return;
    // The state of a call, its latencies and what runs after it are not among the events.
    if (state?.conversation.call) void refetch();
    // Neither is what the user calls themselves.
    const { user_name: name } = (data ?? {}) as Partial<ListedConversation>;
    if (name !== undefined) client.setQueryData(options.queryKey, (before) => withUserName(before, name));
  });
  const { isIncomplete = false, lastEventId } = state ?? {};
  // Something may have happened since it is being read.
  useEffect(() => {
    if (isIncomplete && lastEventId !== undefined) void refetch();
  }, [isIncomplete, lastEventId, refetch]);
  return { query, state, problem, isUserTyping: user.isTyping };
}

/** The log with its header and composer, and what is open beside it. The address says what that is. */
function ConversationPane({ state, isUserTyping }: { state: ConversationState; isUserTyping: boolean }) {
  const { conversation } = state;
  const { others, onTyping } = useLookers(conversation.id);
  useSeeMentions(conversation);
  const [search, setSearch] = useSearchState();
  const [dialog, setDialog] = useState<OpenDialog>();
  const { panel } = search;
  const close = () => setSearch({ panel: undefined, turn: undefined, step: undefined, message: undefined });
  const toggle = (name: 'trace' | 'info') =>
    name === panel ? close() : setSearch({ panel: name }, { push: true });
  const stop = useStop(conversation);
  const again = useRegenerate(conversation);
  const { version, show, ...reading } = useVersion(state);
  const [sentId, setSentId] = useState<string>();
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
          others={others}
          stop={stop}
          panel={panel}
          onPanel={toggle}
          onDialog={setDialog}
        />
        {conversation.call && <CallHeader call={conversation.call} player={player} />}
        <ConversationLog
          state={version?.state ?? state}
          isReadOnly={version !== undefined}
          markedId={search['message']}
          startId={search['message'] ?? version?.branch.first_message_id}
          sentId={sentId}
          onTrace={(turn) => setSearch({ panel: 'trace', turn, step: undefined }, { push: true })}
          onTruncate={(messageId) => setDialog({ name: 'truncate', messageId })}
          onHear={(atMs) => playFrom(player.current, atMs)}
          onRegenerate={again.regenerate}
          onEdit={(message) => setDialog({ name: 'edit', message })}
          onShow={show}
        />
        {again.error && (
          <div className="px-4 py-2">
            <InlineError error={again.error} />
          </div>
        )}
        {reading.error && (
          <div className="px-4 py-2">
            <InlineError error={reading.error} onRetry={reading.retry} />
          </div>
        )}
        {version ? (
          <VersionBar conversation={conversation} version={version} onBack={() => show()} />
        ) : (
          <ConversationFooter
            conversation={conversation}
            typing={[
              ...(isUserTyping
                ? [personName(conversation.external_user_id ?? 'The user', conversation.user_name)]
                : []),
              ...others.filter((one) => one.is_typing).map(({ name }) => name),
            ]}
            onTyping={onTyping}
            onSent={setSentId}
          />
        )}
      </section>
      {panel === 'trace' && (
        <TracePanel conversation={version?.state.conversation ?? conversation} onClose={close} />
      )}
      {panel === 'info' && <InfoPanel conversation={conversation} onClose={close} />}
      <ConversationDialogs conversation={conversation} open={dialog} onClose={() => setDialog(undefined)} />
    </div>
  );
}

interface ConversationHeaderProps {
  conversation: ConsoleConversation;
  others: readonly Looker[];
  stop: Stop;
  panel: string | undefined;
  onPanel: (name: 'trace' | 'info') => void;
  onDialog: (dialog: OpenDialog) => void;
}

function ConversationHeader({
  conversation,
  others,
  stop,
  panel,
  onPanel,
  onDialog,
}: ConversationHeaderProps) {
  const { api, can } = useWorkspace();
  const isTechnical = useTechnical();
  const { title, bot, external_user_id: user, user_name: userName } = conversation;
  // Tests are the team's own: their user has no sessions.
  const person = conversation.channel === 'test' ? null : user;
  // A call has a header of its own, which says how it goes.
  const members = useRead(membersQuery).data ?? [];
  const assignee = members.find(({ id }) => id === conversation.assignee);
  const shown = conversation.call
    ? undefined
    : statusOf(
        {
          ...conversation,
          assignee_name: assignee?.name ?? null,
          latest_act: latestActOf(conversation),
        },
        conversation.turns.at(-1)?.status,
      );
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
            label="Technical details"
            icon={<Braces aria-hidden />}
            aria-pressed={isTechnical}
            onPress={() => setTechnical(!isTechnical)}
          />
          {(isTechnical || panel === 'trace') && (
            <IconButton
              label="Trace"
              icon={<Activity aria-hidden />}
              hint="t"
              aria-pressed={panel === 'trace'}
              onPress={() => onPanel('trace')}
            />
          )}
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
              title={isMadeUp(person, userName) ? `${person}. ${madeUpHint}` : person}
              className={classes('max-w-48 truncate hover:underline', isMadeUp(person, userName) && 'italic')}
            >
              <NameText text={personName(person, userName)} />
            </PageLink>
          </>
        )}
        <span aria-hidden>·</span>
        <span>{plural(conversation.message_count, 'message')}</span>
        {isTechnical && (
          <>
            <span aria-hidden>·</span>
            <span>
              <Cost {...conversation} />
            </span>
          </>
        )}
        {others.length > 0 && (
          <span className="inline-flex min-w-0 items-center gap-1 font-medium text-ink-2">
            <Eye aria-hidden className="size-4 shrink-0" />
            <WhoLine names={others.map(({ name }) => name)} does="here" />
          </span>
        )}
        {conversation.channel !== 'test' && <Labels conversation={conversation} />}
      </p>
      <InboxBar conversation={conversation} />
      {stop.error && <InlineError error={stop.error} />}
    </header>
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
