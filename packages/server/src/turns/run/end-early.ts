import { rulesOf } from '@svc/contract/channels';
import { textMessage, toWireMessage } from '../../conversations/conversations.service.ts';
import { type NewEvent, retraction } from '../../events/event.ts';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import { withoutQuotation } from '../../lib/without-quotation.ts';
import { isRetryable } from '../../models/model-error.ts';
import type { BrokenReply } from '../reply/broken-reply.ts';
import { type ToolCallEnd, toolCallEndsWrite } from '../tool-calls/tool-call-end.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { turnStore } from '../turns.store.ts';
import { writeStep } from '../write/write-step.ts';
import type { TurnLease } from './lease.ts';
import { StopRequested } from './lease.ts';
import { errorOf, runEnd, turnError } from './turn-end-reason.ts';
import { withdrawToolCalls } from './withdraw-tool-calls.ts';

export interface EarlyEnding {
  steps: number;
  reason: unknown;
  /** The replies that were started in this step. The last one may not have begun. */
  replyIds: readonly string[];
  /** What this node has of the last one. */
  broken?: BrokenReply | undefined;
  /** The turn was taken from its node, where the last one may have begun. */
  wasTaken?: boolean;
}

/** Ends a turn that was stopped or cannot continue. The text so far is stored, marked as interrupted. */
export async function endEarly(lease: TurnLease, dependencies: TurnDependencies, ending: EarlyEnding) {
  const { steps, reason, broken } = ending;
  const { hasCalls } = rulesOf(lease.channel);
  const message = broken?.text
    ? {
        ...textMessage(
          broken.messageId,
          'assistant',
          hasCalls ? withoutQuotation(broken.text) : broken.text,
          dependencies.clock.now(),
        ),
        citations: broken.citations,
        interrupted: true,
      }
    : undefined;
  const events: NewEvent[] = message
    ? [{ type: 'message.completed', data: { message: toWireMessage(message) } }]
    : [];
  const { workspaceId, turnId } = lease;
  const { approvals, runs, feed } = dependencies;
  const closing = await unfinishedCalls(lease, dependencies);
  const lost = await lostReplies(lease, dependencies, ending, closing);
  const run = await runs.find(workspaceId, turnId);
  const now = dependencies.clock.now();
  const closed = toolCallEndsWrite(closing, now, false);
  const said = message ? [{ message, event: 0 }] : [];
  const isStopped = reason instanceof StopRequested;
  await writeStep(lease, dependencies, {
    step: steps,
    status: isStopped ? 'interrupted' : 'failed',
    replyIds: [],
    async within(tx) {
      const withdrawn = isOverdue(reason) ? 'expired' : 'cancelled';
      const resolved = await approvals.withdrawOfTurn(tx, workspaceId, turnId, withdrawn);
      if (run) await runs.end(tx, run, runEnd(reason, now));
      if (!isStopped) await turnStore.setError(tx, lease, turnError(reason));
      return resolved;
    },
    events: [...events, ...closed.events, endEvent(lease, reason)],
    messages: [...said, ...closed.messages.map((one) => ({ ...one, event: one.event + events.length }))],
    outcomes: closed.outcomes ?? [],
    usage: broken?.spent ?? [],
    trace: broken?.trace ?? [],
    beforePublish() {
      if (lost.length > 0)
        feed.publish(
          lease.conversationId,
          lost.map((id) => retraction(turnId, id)),
        );
    },
  });
  const started = closing.flatMap(({ call }) => (call.status === 'started' ? [call] : []));
  await withdrawToolCalls(lease, started, dependencies);
}

/** Replies whose previews readers must drop. All but the last of those that the turn has are stored as retracted. */
async function lostReplies(
  lease: TurnLease,
  { database }: TurnDependencies,
  { replyIds, broken, wasTaken }: EarlyEnding,
  unfinished: readonly ToolCallEnd[],
): Promise<readonly string[]> {
  // A reply that began here has retracted the earlier ones.
  if (broken) return [];
  // While calls are open the next reply has not begun.
  if (!wasTaken || unfinished.length > 0) return replyIds.slice(0, -1);
  await turnStore.beginReply(database.within(lease.workspaceId), lease, newId());
  return replyIds;
}

/** In later turns the model must find a result for every call. */
async function unfinishedCalls(
  lease: TurnLease,
  { conversations, clock }: TurnDependencies,
): Promise<ToolCallEnd[]> {
  const rows = await conversations.listUnfinishedCalls(lease.workspaceId, lease.turnId);
  return rows.map((row) => {
    const wasStarted = row.status === 'started';
    return {
      call: { ...row, status: wasStarted ? 'started' : 'proposed', approval: undefined },
      outcome: wasStarted ? 'unknown' : 'denied',
      content: wasStarted
        ? 'The turn ended while this call ran: it is not known whether it was carried out.'
        : 'The turn ended before this call was carried out.',
      result: null,
      startedAt: clock.now(),
      durationMs: 0,
    };
  });
}

/** The approvals of a run expire with its deadline. */
function isOverdue(reason: unknown): boolean {
  return reason instanceof AppError && reason.code === 'RUN_TIMED_OUT';
}

function endEvent({ turnId, options }: TurnLease, reason: unknown): NewEvent {
  if (reason instanceof StopRequested) {
    return { type: 'turn.interrupted', data: { turn_id: turnId, by: reason.by } };
  }
  const error = errorOf(reason);
  return {
    type: 'turn.failed',
    data: {
      turn_id: turnId,
      error: {
        success: false,
        code: error.code,
        message: error.message,
        ...(error.details && { details: [...error.details] as Record<string, unknown>[] }),
        // The id that the caller and the log have.
        request_id: options.request_id ?? turnId,
        retryable: isRetryable(error),
      },
    },
  };
}
