import { approvalTitle } from '@svc/contract/approval-title';
import type { Approval, ApprovalDetail, ApprovalResponse, ApprovalStatus } from '@svc/contract/approvals';
import { withoutChangedArguments } from '@svc/contract/changed-result';
import type { ConversationDetail } from '@svc/contract/conversations';
import { visibleText } from '@svc/contract/visible-text';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Laptop } from 'lucide-react';
import { lazy, type Ref, Suspense, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { messagesQuery } from '../../api/conversations.ts';
import { machinesQuery } from '../../api/machines.ts';
import { useToolNames } from '../../app/tool-names.ts';
import { TextLink, useRead, useWorkspace } from '../../app/workspace.tsx';
import { personName } from '../../format/person-name.ts';
import { serverNow } from '../../format/server-time.ts';
import { exactTime } from '../../format/time.ts';
import { announce } from '../../kit/announce.ts';
import { Button } from '../../kit/buttons.tsx';
import { classes } from '../../kit/classes.ts';
import { TextAreaField } from '../../kit/fields.tsx';
import { Folded } from '../../kit/folded.tsx';
import { TimeAgo, VisibleText } from '../../kit/labels.tsx';
import { Bar, BarLoading, InlineError } from '../../kit/placeholders.tsx';
import { useLive, useLiveChanges } from '../../live/live-context.ts';
import { ValueView } from '../chat/value-view.tsx';
import { ApprovalOutcome } from './approval-outcome.tsx';
import { ApprovalRequest, actionBar } from './approval-request.tsx';
import { type GrantChoice, GrantChoiceField, grantIn } from './grant-choice.tsx';
import { useAnswer } from './use-answer.ts';

/** Loaded when somebody edits: most approvals are answered as they are. */
const ApprovalEditor = lazy(async () => ({
  default: (await import('./approval-editor.tsx')).ApprovalEditor,
}));

/** What keys do with the card that is shown. */
export interface ApprovalCardHandle {
  /** The next Enter approves. */
  arm(): void;
  edit(): void;
  deny(): void;
}

interface ApprovalCardProps {
  /** As lists, `GET /api/v1/hitl/{id}` and the events `approval.requested` and `approval.resolved` contain it. */
  approval: Approval | ApprovalDetail;
  /** Inside of its conversation, where bot, user and a link to the conversation would only repeat what is around it. */
  isInline?: boolean;
  ref?: Ref<ApprovalCardHandle>;
}

/** A call that waits for a decision, or what was decided. Give it the key `approval.id` where the approval under it can change. */
export function ApprovalCard({ approval, isInline = false, ref }: ApprovalCardProps) {
  const { api, can } = useWorkspace();
  // A question has nothing to read but itself: its answer is filled in at once.
  const first = approval.is_question ? 'editing' : 'reading';
  const [mode, setMode] = useState<'reading' | 'editing' | 'denying'>(first);
  const [isArmed, setArmed] = useState(false);
  const [edited, setEdited] = useState<string>();
  const [typed, setTyped] = useState<Record<string, unknown>>();
  const [next, setNext] = useState<GrantChoice>('once');
  const approveButton = useRef<HTMLButtonElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const answer = useAnswer(approval);
  const isOffline = useLive().name === 'offline';
  const led = useQuery({ ...messagesQuery(api, approval.conversation_id), enabled: !isInline });
  // What is read above the buttons moves them.
  const isReady = useSettled(`${approval.id} ${mode} ${led.isLoading}`) && !isOffline;
  const expiresAt = new Date(approval.expires_at).getTime();
  const isPending = approval.status === 'pending';
  const isLate = useNow(expiresAt) >= expiresAt;
  const { decision } = answer;
  const isOpen = isPending && !isLate && !decision;
  const canAnswer = isOpen && can('operator');
  const shown = isPending && decision ? { ...approval, ...decision } : approval;
  const isEditing = canAnswer && mode === 'editing';
  const edits = isEditing && !approval.is_question ? typed : undefined;
  const title =
    (edits && approvalTitle({ ...approval, edited_arguments: edits })) ?? shown.title ?? approval.tool_name;

  function open(wanted: typeof mode): void {
    answer.reset();
    setArmed(false);
    setNext('once');
    setTyped(undefined);
    setMode(wanted);
    // Never to the button that approves: Enter would press it.
    if (wanted === first) heading.current?.focus({ preventScroll: true });
  }
  const hasFocus = useRef(false);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    const isOver = wasOpen.current && !isOpen;
    wasOpen.current = isOpen;
    if (!isOver || !hasFocus.current) return;
    // The focus was in the form or on the button that is gone now.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    if (!decision) announce('This no longer waits for an answer.', 'assertive');
  }, [isOpen, decision]);
  useImperativeHandle(ref, () => ({
    arm() {
      if (!canAnswer || mode !== 'reading' || !isReady) return;
      setArmed(true);
      approveButton.current?.focus();
    },
    edit: () => canAnswer && edit(),
    deny: () => canAnswer && open('denying'),
  }));
  const send = (response: ApprovalResponse) => !answer.isPending && answer.mutate(response);
  const edit = (argument?: string) => {
    setEdited(argument);
    open('editing');
  };
  const form = { error: answer.error, isBusy: answer.isPending, onCancel: () => open(first) };

  return (
    <article
      aria-label={`Approval: ${visibleText(title)}`}
      data-approval={approval.id}
      className="flex min-w-0 flex-col gap-3"
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        hasFocus.current = currentTarget.contains(relatedTarget);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || (mode === first && !isArmed)) return;
        event.stopPropagation();
        open(first);
      }}
    >
      <header className="flex flex-wrap items-baseline gap-x-3">
        <h2
          ref={heading}
          tabIndex={-1}
          data-approval-title
          dir="auto"
          className="min-w-0 break-words font-semibold text-lg focus:outline-none"
        >
          <VisibleText text={title} />
        </h2>
        {isOpen && <TimeLeft until={approval.expires_at} />}
        <Surroundings approval={approval} title={title} isInline={isInline} />
      </header>
      {!isInline && <LedHere approval={approval} read={led} />}
      <ApprovalRequest
        approval={shown}
        onEdit={canAnswer && mode === 'reading' ? edit : undefined}
        isReady={isReady}
        editor={
          isEditing ? (
            <Suspense fallback={<Bar className="h-24 w-full" />}>
              <ApprovalEditor
                approval={approval}
                first={edited}
                {...form}
                onType={setTyped}
                onDecline={() => open('denying')}
                onApprove={(args) => send({ action: 'approve_edited', edited_args: args })}
              />
            </Suspense>
          ) : undefined
        }
      />
      {answer.isLost && <InlineError error={answer.error} />}
      {shown.status !== 'pending' && <ApprovalOutcome approval={shown} />}
      {!isInline && ran.has(shown.status) && !approval.is_question && <Returned approval={shown} />}
      {isPending && isLate && !decision && (
        <p className="rounded-md bg-warning-tint px-3 py-2 text-warning-ink">
          Nobody answered in time. Nothing runs, and the bot is informed.
        </p>
      )}
      {isOpen && <ApprovalNotices approval={approval} />}
      {canAnswer && mode === 'denying' && (
        <DenyForm {...form} onDeny={(reason) => send({ action: 'deny', ...(reason && { text: reason }) })} />
      )}
      {canAnswer && mode === 'reading' && (
        <>
          {answer.error && <InlineError error={answer.error} />}
          <GrantChoiceField approval={approval} value={next} onChange={setNext} />
          {/* Always in the same order, so that nobody has to look for them. */}
          <div className={classes(actionBar, !isInline && '-mb-4')}>
            {isArmed && (
              <p className="mr-auto text-ink-2 text-sm max-sm:basis-full" role="status">
                Press Enter to approve, Esc to go back.
              </p>
            )}
            <Button onPress={() => open('denying')} isDisabled={!isReady || answer.isPending}>
              Deny
            </Button>
            <Button onPress={() => edit()} isDisabled={!isReady || answer.isPending}>
              Edit
            </Button>
            <Button
              ref={approveButton}
              look="primary"
              onPress={() => send({ action: 'approve', ...grantIn(next) })}
              onBlur={() => setArmed(false)}
              isBusy={answer.isPending}
              isDisabled={!isReady}
              className={isArmed ? 'outline-2 outline-accent-ink outline-offset-2' : ''}
            >
              Approve
            </Button>
          </div>
        </>
      )}
    </article>
  );
}

/** With which tool, and for whom. */
function Surroundings({
  approval,
  title,
  isInline,
}: {
  approval: Approval | ApprovalDetail;
  title: string;
  isInline: boolean;
}) {
  const name = useToolNames()(approval.tool_name);
  const {
    bot_name: bot,
    channel,
    external_user_id: user,
    user_name: userName,
    conversation_id: id,
  } = approval as ApprovalDetail;
  const tool = title !== name && (
    <span title={`The model calls it ${visibleText(approval.tool_name)}`}>
      <VisibleText text={name} />
    </span>
  );
  if (isInline) return tool && <p className="basis-full text-ink-3 text-sm">{tool}</p>;
  return (
    <p className="basis-full text-ink-2 text-sm [overflow-wrap:anywhere]">
      {tool && <>{tool} · </>}
      {bot && (
        <>
          <VisibleText text={bot} /> ·{' '}
        </>
      )}
      {channel === 'test' && 'test of a draft · '}
      {user && channel !== 'test' && (
        <>
          <VisibleText text={personName(user, userName)} /> ·{' '}
        </>
      )}
      <TextLink path={`/conversations/${id}`} className="underline-offset-2">
        Open the conversation
      </TextLink>
    </p>
  );
}

const ran = new Set<ApprovalStatus>(['approved', 'approved_edited']);

/** What came back from the call. Inside of its conversation, the call itself shows it. */
function Returned({ approval }: { approval: Approval }) {
  const { conversation_id: conversationId, tool_call_id: callId } = approval;
  const { data, error, refetch } = useRead(messagesQuery, conversationId);
  const result = data?.messages.find((message) => message.tool_call_id === callId);
  const isKnown = result !== undefined;
  useLiveChanges(({ object, id }) => {
    if (object === 'conversation' && id === conversationId && !isKnown) void refetch();
  });
  if (error) return <InlineError error={error} onRetry={() => void refetch()} />;
  if (!data) return <BarLoading className="w-2/3" />;
  if (!result) return <p className="text-ink-2">Nothing has come back.</p>;
  const { content } = result;
  const value = approval.status === 'approved_edited' ? withoutChangedArguments(content) : content;
  return <ValueView label="What came back" value={value} />;
}

const shownMessages = 4;
const speakers = { user: 'User', assistant: 'Bot', operator: 'Operator', tool: 'Tool' };

/** What the user wrote last, and on request the messages before it. */
function LedHere({
  approval,
  read: { data, error, refetch },
}: {
  approval: Approval;
  read: UseQueryResult<ConversationDetail>;
}) {
  if (error) return <InlineError error={error} onRetry={() => void refetch()} />;
  if (!data) return <BarLoading className="w-2/3" />;
  const before = data.messages.filter(
    ({ role, content, created_at: at }) => role !== 'tool' && content && at <= approval.created_at,
  );
  const last = before.findLast(({ role }) => role === 'user');
  const others = before.filter((message) => message !== last).slice(-shownMessages);
  return (
    <>
      {last && (
        <figure className="min-w-0">
          <figcaption className="mb-1 text-ink-2 text-sm">
            {last.author_name ? <VisibleText text={last.author_name} /> : 'The user'} wrote
          </figcaption>
          <blockquote
            dir="auto"
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
            tabIndex={0}
            className="max-h-60 overflow-y-auto whitespace-pre-wrap border-line-strong border-s-2 ps-3 [overflow-wrap:anywhere]"
          >
            <VisibleText text={last.content} />
          </blockquote>
        </figure>
      )}
      {others.length > 0 && (
        <Folded title="What led here">
          {others.map((message) => (
            <div key={message.id}>
              <p className="text-ink-3 text-sm">{speakerOf(message)}</p>
              <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
                <VisibleText text={message.content} />
              </p>
            </div>
          ))}
        </Folded>
      )}
    </>
  );
}

function speakerOf({ role, author_name: name }: ConversationDetail['messages'][number]): string {
  return name ?? speakers[role];
}

const settleMilliseconds = 500;

/** False for a moment after something else is shown: a tap that was meant for what was there before must not count. */
function useSettled(shown: string): boolean {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(shown), settleMilliseconds);
    return () => clearTimeout(timer);
  }, [shown]);
  return settled === shown;
}

/** What a person should know before they decide. */
function ApprovalNotices({ approval: { context } }: { approval: Approval }) {
  const { can } = useWorkspace();
  return (
    <>
      {context.kind === 'command' && <MachineNotice name={context.machine} />}
      {context.kind === 'diff' && (
        <p className="text-ink-3 text-sm">
          If the file has changed since this was proposed, nothing is written and the bot is informed.
        </p>
      )}
      {!can('operator') && (
        <p className="text-ink-3 text-sm">View only: operators and owners can answer this.</p>
      )}
    </>
  );
}

function MachineNotice({ name }: { name: string }) {
  const machines = useRead(machinesQuery);
  const machine = machines.data?.find((one) => one.name === name && one.status !== 'revoked');
  if (machines.data === undefined) return null;
  if (machine?.status === 'online')
    return machine.confirmation === 'terminal' ? (
      <p className="text-ink-3 text-sm">
        {name} also asks at its own terminal: somebody there has to confirm within ten minutes.
      </p>
    ) : null;
  return (
    <p className="flex gap-2 rounded-md bg-warning-tint px-3 py-2 text-warning-ink text-sm">
      <Laptop aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        {name} is offline
        {machine?.last_seen_at && (
          <>
            , last seen <TimeAgo at={machine.last_seen_at} />
          </>
        )}
        . An approved command fails unless the machine connects again soon.
      </span>
    </p>
  );
}

interface DenyFormProps {
  error: unknown;
  isBusy: boolean;
  onDeny: (reason: string | undefined) => void;
  onCancel: () => void;
}

const maxReasonCharacters = 4_000;

function DenyForm({ error, isBusy, onDeny, onCancel }: DenyFormProps) {
  const [reason, setReason] = useState('');
  const submit = () => onDeny(reason.trim() || undefined);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextAreaField
        label="Why?"
        description="Optional. The bot reads it and can try something else."
        value={reason}
        onChange={setReason}
        maxLength={maxReasonCharacters}
        autoFocus
        minRows={2}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
          else event.continuePropagation();
        }}
      />
      {error !== undefined && error !== null && <InlineError error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onPress={onCancel}>Back</Button>
        <Button look="danger" type="submit" isBusy={isBusy}>
          Deny
        </Button>
      </div>
    </form>
  );
}

const hour = 3_600_000;

/** How long a person still has, with the exact end. */
function TimeLeft({ until }: { until: string }) {
  const end = new Date(until);
  const left = end.getTime() - useNow(end.getTime());
  return (
    <time
      dateTime={until}
      title={`Until ${exactTime(end)}`}
      className={classes('text-sm', left < hour ? 'text-paused-ink' : 'text-ink-3')}
    >
      {timeLeft(left)} left
    </time>
  );
}

function timeLeft(milliseconds: number): string {
  if (milliseconds < 60_000) return 'under a minute';
  if (milliseconds < hour) return `${Math.floor(milliseconds / 60_000)} min`;
  return `${Math.floor(milliseconds / hour)} h`;
}

/** The service's time, and again when the given time is reached. */
function useNow(until: number): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const left = until - serverNow();
    if (left <= 0) return setNow(serverNow());
    const timer = setTimeout(() => setNow(serverNow()), Math.min(left + 50, 30_000));
    return () => clearTimeout(timer);
  }, [until, now]);
  return now;
}
