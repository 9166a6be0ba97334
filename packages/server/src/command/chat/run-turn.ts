import type { Approval } from '@svc/contract/approvals';
import type { SendMessage } from '@svc/contract/chat';
import type { EventName } from '@svc/contract/event-names';
import type { ApiClient } from './api-client.ts';
import { createApprovalDesk } from './approval-desk.ts';
import type { EditText } from './editor.ts';
import { ConnectionLost, ServiceRefused } from './service-errors.ts';
import type { Terminal } from './terminal.ts';
import { type ResumedTurn, turnEvents } from './turn-events.ts';
import { createTurnView } from './turn-view.ts';

export interface ChatDependencies {
  client: ApiClient;
  terminal: Terminal;
  edit: EditText;
  /** Aborts everything. */
  leaving: AbortController;
}

export interface TurnResult {
  /** `failed` includes turns that could not be started or read to the end; `left`: the person did not wait. */
  outcome: 'completed' | 'interrupted' | 'paused' | 'failed' | 'left';
  /** Unknown if the turn did not start. */
  conversationId: string | undefined;
}

const outcomes: Partial<Record<EventName, TurnResult['outcome']>> = {
  'turn.completed': 'completed',
  'turn.interrupted': 'interrupted',
  'turn.paused': 'paused',
};

/** Not shown to a person who is asked for the approval anyway. */
const askedHere: ReadonlySet<EventName> = new Set(['approval.requested', 'turn.paused']);

/**
 * Sends a message, shows its turn and asks a person for its approvals. The first Ctrl-C stops the turn, a second one leaves
 * without waiting for that. While the turn waits for approval, Ctrl-C leaves it waiting.
 */
export async function runTurn(
  from: { message: SendMessage } | (ResumedTurn & { pending: Approval[] }),
  botName: string,
  { client, terminal, edit, leaving }: ChatDependencies,
): Promise<TurnResult> {
  const enough = new AbortController();
  const signal = AbortSignal.any([leaving.signal, enough.signal]);
  const desk = createApprovalDesk({ client, terminal, edit, botName, onLeave: () => enough.abort() });
  const show = createTurnView(terminal);
  const result: TurnResult = {
    outcome: 'failed',
    conversationId: 'message' in from ? undefined : from.conversationId,
  };
  let isStopping = false;

  const stop = () => {
    if (!result.conversationId) return; // Not started yet: stopped as soon as it is.
    client.stop(result.conversationId).catch((error: unknown) => {
      if (!signal.aborted) terminal.say(`It could not be stopped. ${describe(error)}`);
    });
  };
  terminal.onInterrupt(() => {
    if (desk.isOpen()) return desk.leave();
    if (isStopping) return leaving.abort();
    isStopping = true;
    terminal.say('Stopping; press Ctrl-C again to leave immediately.');
    stop();
  });

  try {
    const waitsForApprovals = terminal.isInteractive;
    const say = (text: string) => terminal.say(text);
    if ('pending' in from) {
      desk.add(from.pending);
      desk.open();
    }
    for await (const event of turnEvents({ client, from, waitsForApprovals, say, signal })) {
      if (event.type === 'turn.started') {
        result.conversationId = event.data.conversation_id;
        if (isStopping) stop();
      }
      desk.note(event);
      const isAsked = waitsForApprovals && askedHere.has(event.type);
      if (!isAsked) show(event);
      if (isAsked && event.type === 'turn.paused') desk.open();
      result.outcome = outcomes[event.type] ?? 'failed';
    }
  } catch (error) {
    if (desk.hasLeft()) result.outcome = 'paused';
    else if (leaving.signal.aborted) result.outcome = 'left';
    else {
      result.outcome = 'failed';
      terminal.say(describe(error));
    }
  } finally {
    terminal.busy(undefined);
    await desk.close();
    terminal.onInterrupt(undefined);
    terminal.endReply();
  }
  return result;
}

/** Rethrows anything but errors of the service or the network: those are bugs. */
export function describe(error: unknown): string {
  if (error instanceof ConnectionLost || error instanceof ServiceRefused) return error.message;
  throw error;
}
