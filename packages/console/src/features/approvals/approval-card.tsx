import type { Approval, ApprovalDetail, ApprovalResponse } from '@svc/contract/approvals';
import { useQuery } from '@tanstack/react-query';
import { lazy, type Ref, Suspense, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { messagesQuery } from '../../api/conversation.ts';
import { TextLink, useWorkspace } from '../../app/workspace.tsx';
import { announce } from '../../kit/announce.ts';
import { Bar, InlineError, Loading } from '../../kit/placeholders.tsx';
import { VisibleText } from '../../kit/visible-text.tsx';
import { useLive } from '../../live/live-context.ts';
import { ApprovalActions } from './approval-actions.tsx';
import { ApprovalNotices } from './approval-notices.tsx';
import { ApprovalOutcome } from './approval-outcome.tsx';
import { ApprovalRequest } from './approval-request.tsx';
import { DenyForm } from './deny-form.tsx';
import { Folded } from './folded.tsx';
import { TimeLeft } from './time-left.tsx';
import { useAnswer } from './use-answer.ts';
import { useNow } from './use-now.ts';

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

export interface ApprovalCardProps {
  /** As lists, `GET /api/v1/hitl/{id}` and the events `approval.requested` and `approval.resolved` contain it. */
  approval: Approval | ApprovalDetail;
  /** Inside of its conversation, where bot, user and a link to the conversation would only repeat what is around it. */
  isInline?: boolean;
  ref?: Ref<ApprovalCardHandle>;
}

/** A call that waits for a decision, or what was decided. Give it the key `approval.id` where the approval under it can change. */
export function ApprovalCard({ approval, isInline = false, ref }: ApprovalCardProps) {
  const { can } = useWorkspace();
  const [mode, setMode] = useState<'reading' | 'editing' | 'denying'>('reading');
  const [isArmed, setArmed] = useState(false);
  const approveButton = useRef<HTMLButtonElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const answer = useAnswer(approval.id);
  const isOffline = useLive().name === 'offline';
  const isReady = useSettled(`${approval.id} ${mode}`) && !isOffline;
  const expiresAt = new Date(approval.expires_at).getTime();
  const isPending = approval.status === 'pending';
  const isLate = useNow(expiresAt) >= expiresAt;
  const { decision } = answer;
  const isOpen = isPending && !isLate && !decision;
  const canAnswer = isOpen && can('operator');
  const shown = isPending && decision ? { ...approval, ...decision } : approval;

  function open(next: typeof mode): void {
    answer.reset();
    setArmed(false);
    setMode(next);
    // Never to the button that approves: Enter would press it.
    if (next === 'reading') title.current?.focus({ preventScroll: true });
  }
  const hasFocus = useRef(false);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    const isOver = wasOpen.current && !isOpen;
    wasOpen.current = isOpen;
    if (!isOver || !hasFocus.current) return;
    // The focus was in the form or on the button that is gone now.
    if (document.activeElement === document.body) title.current?.focus({ preventScroll: true });
    if (!decision) announce('This no longer waits for an answer.', 'assertive');
  }, [isOpen, decision]);
  useImperativeHandle(ref, () => ({
    arm() {
      if (!canAnswer || mode !== 'reading' || !isReady) return;
      setArmed(true);
      approveButton.current?.focus();
    },
    edit: () => canAnswer && open('editing'),
    deny: () => canAnswer && open('denying'),
  }));
  const send = (response: ApprovalResponse) => !answer.isPending && answer.mutate(response);
  const form = { error: answer.error, isBusy: answer.isPending, onCancel: () => open('reading') };

  return (
    <article
      aria-label={`Approval of ${approval.tool_name}`}
      data-approval={approval.id}
      className="flex min-w-0 flex-col gap-3"
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        hasFocus.current = currentTarget.contains(relatedTarget);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || (mode === 'reading' && !isArmed)) return;
        event.stopPropagation();
        open('reading');
      }}
    >
      <header className="flex flex-wrap items-baseline gap-x-3">
        <h2
          ref={title}
          tabIndex={-1}
          data-approval-title
          className="min-w-0 break-words font-mono font-semibold text-lg focus:outline-none"
        >
          <VisibleText text={approval.tool_name} />
        </h2>
        {isOpen && <TimeLeft until={approval.expires_at} />}
        {!isInline && <Surroundings approval={approval} />}
      </header>
      <ApprovalRequest approval={approval} />
      {!isInline && <LedHere approval={approval} />}
      {answer.isLost && <InlineError error={answer.error} />}
      {shown.status !== 'pending' && <ApprovalOutcome approval={shown} />}
      {isPending && isLate && !decision && (
        <p className="rounded-md bg-warning-tint px-3 py-2 text-warning-ink">
          Nobody answered in time. Nothing runs, and the bot is informed.
        </p>
      )}
      {isOpen && <ApprovalNotices approval={approval} />}
      {canAnswer && mode === 'editing' && (
        <Suspense fallback={<Bar className="h-24 w-full" />}>
          <ApprovalEditor
            approval={approval}
            {...form}
            onApprove={(edited) => send({ action: 'approve_edited', edited_args: edited })}
          />
        </Suspense>
      )}
      {canAnswer && mode === 'denying' && (
        <DenyForm {...form} onDeny={(reason) => send({ action: 'deny', ...(reason && { text: reason }) })} />
      )}
      {canAnswer && mode === 'reading' && (
        <>
          {answer.error && <InlineError error={answer.error} />}
          <ApprovalActions
            isSticky={!isInline}
            isReady={isReady}
            isBusy={answer.isPending}
            isArmed={isArmed}
            approveRef={approveButton}
            onApprove={() => send({ action: 'approve' })}
            onEdit={() => open('editing')}
            onDeny={() => open('denying')}
            onDisarm={() => setArmed(false)}
          />
        </>
      )}
    </article>
  );
}

function Surroundings({ approval }: { approval: Approval | ApprovalDetail }) {
  const { bot_name: bot, channel, external_user_id: user, conversation_id: id } = approval as ApprovalDetail;
  return (
    <p className="basis-full text-ink-2 text-sm [overflow-wrap:anywhere]">
      {bot && (
        <>
          <VisibleText text={bot} /> ·{' '}
        </>
      )}
      {channel === 'test' && 'test of a draft · '}
      {user && channel !== 'test' && (
        <>
          <VisibleText text={user} /> ·{' '}
        </>
      )}
      <TextLink path={`/conversations/${id}`} className="underline-offset-2">
        Open the conversation
      </TextLink>
    </p>
  );
}

const shownMessages = 4;
const speakers = { user: 'User', assistant: 'Bot', operator: 'Operator', tool: 'Tool' };

/** The last messages before the call, read when somebody wants to see them. */
function LedHere({ approval }: { approval: Approval }) {
  const { api } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const { conversation_id: id } = approval;
  const conversation = useQuery({ ...messagesQuery(api, id), enabled: isOpen });
  const messages = (conversation.data?.messages ?? [])
    .filter(({ role, content, created_at: at }) => role !== 'tool' && content && at <= approval.created_at)
    .slice(-shownMessages);
  return (
    <Folded title="What led here" onToggle={setOpen}>
      {conversation.isPending && isOpen && (
        <Loading>
          <Bar className="w-2/3" />
        </Loading>
      )}
      {conversation.isError && (
        <InlineError error={conversation.error} onRetry={() => void conversation.refetch()} />
      )}
      {conversation.data && messages.length === 0 && <p className="text-ink-3">No messages.</p>}
      {messages.map((message) => (
        <div key={message.id}>
          <p className="text-ink-3 text-sm">{message.author_name ?? speakers[message.role]}</p>
          <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
            <VisibleText text={message.content} />
          </p>
        </div>
      ))}
    </Folded>
  );
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
