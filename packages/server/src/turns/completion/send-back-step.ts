import { textMessage, toWireMessage } from '../../conversations/conversations.service.ts';
import { newId } from '../../lib/new-id.ts';
import type { TurnLease } from '../run/lease.ts';
import type { TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { StepChanges } from '../write/step-changes.ts';
import { writeStep } from '../write/write-step.ts';

interface SendBack extends Pick<StepChanges, 'usage' | 'trace'> {
  messageId: string;
}

/** Sends the agent back with a message. Its next reply is another iteration. */
export async function sendBackStep(
  lease: TurnLease,
  text: string,
  state: TurnState,
  dependencies: TurnDependencies,
  { messageId = newId(), usage = [], trace = [] }: Partial<SendBack> = {},
): Promise<TurnState> {
  const message = textMessage(messageId, 'user', text, dependencies.clock.now());
  const first = await writeStep(lease, dependencies, {
    step: state.steps,
    status: 'running',
    replyIds: state.replyIds,
    events: [{ type: 'message.completed', data: { message: toWireMessage(message) } }],
    messages: [{ message, event: 0 }],
    usage,
    trace,
  });
  const placed = { ...message, sequence: first, continues: true };
  return { ...state, steps: state.steps + 1, messages: [...state.messages, placed] };
}
