import { numbered } from '../../events/event.ts';
import { eventLog } from '../../events/event-log.ts';
import { newId } from '../../lib/new-id.ts';
import type { ToolResult } from '../../tools/tools.service.ts';
import { storable, storableJson } from '../../validation/storable.ts';
import type { TurnLease } from '../run/lease.ts';
import { beginsTurn, type TurnState } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { hiddenOutcome } from './run-tool-call.ts';

/** A call whose turn has continued without its outcome. */
export interface LateCall {
  workspaceId: string;
  conversationId: string;
  /** Of the call. */
  id: string;
}

export type NoteLateOutcome = ReturnType<typeof createNoteLateOutcome>;

const introduction = 'The machine came back later and reported what became of this call:';

/**
 * Adds an outcome to what the model and readers know of a call that ended as unknown. Returns false while the call has not ended;
 * a call that is gone, or whose outcome is known, is left alone.
 */
export function createNoteLateOutcome({
  database,
  conversations,
  feed,
  clock,
}: Pick<TurnDependencies, 'clock' | 'conversations' | 'database' | 'feed'>) {
  return async ({ workspaceId, conversationId, id }: LateCall, late: ToolResult): Promise<boolean> => {
    const { isEnded, published } = await database.within(workspaceId).transaction(async (tx) => {
      const nothing = { isEnded: true, published: [] };
      const { call, message } =
        (await conversations.lateOutcomes.lock(tx, workspaceId, conversationId, id)) ?? {};
      if (!call) return nothing;
      if (!message) return { isEnded: false, published: [] };
      const { content, result } = shownOutcome(late, message.content);
      if (call.status !== 'unknown' || message.content.includes(introduction)) return nothing;
      const now = clock.now();
      const began = call.startedAt ?? message.createdAt;
      const durationMs = Math.max(0, now.getTime() - began.getTime());
      const text = `${message.content}\n\n${introduction}\n${content}`;
      const { status } = late;
      await conversations.lateOutcomes.change(tx, workspaceId, { call, message }, { status, content: text });
      const data = { tool_call_id: id, status, result, duration_ms: durationMs };
      const events = [{ type: 'tool.completed' as const, data }];
      const sequence = await eventLog.append(tx, { conversationId, turnId: null, events });
      const place = { conversationId, turnId: call.turnId, sequence };
      await conversations.lateOutcomes.trace(tx, workspaceId, place, {
        id: newId(),
        type: 'tool',
        name: call.name,
        status: status === 'ok' ? 'ok' : 'error',
        startedAt: began,
        durationMs,
        input: call.executedArguments ?? call.arguments,
        output: storableJson(late.result ?? null),
        usage: null,
        error: status === 'ok' ? null : storable(late.content),
      });
      return { isEnded: true, published: numbered(events, sequence, null) };
    });
    if (published.length > 0) feed.publish(conversationId, published, workspaceId);
    return isEnded;
  };
}

/** A tool that hid that the outcome was unknown also hides an error. */
function shownOutcome({ status, content, result }: ToolResult, earlier: string) {
  const hidden = hiddenOutcome(status);
  if (status !== 'ok' && earlier === hiddenOutcome('unknown'))
    return { content: hidden, result: { error: hidden } };
  return { content: storable(content), result: storableJson(result ?? null) };
}

/** The state with the outcomes that became known since calls of this turn ended as unknown. */
export async function hearLateOutcomes(
  { workspaceId, conversationId }: TurnLease,
  state: TurnState,
  { conversations }: Pick<TurnDependencies, 'conversations'>,
): Promise<TurnState> {
  // Only what machines do can become known later.
  if (!state.functions?.some(({ isResumable, hasEffects }) => isResumable && hasEffects)) return state;
  const ofTurn = state.messages.slice(state.messages.findLastIndex(beginsTurn) + 1);
  const failed = ofTurn.filter(({ role, failed: isFailed }) => role === 'tool' && isFailed);
  if (failed.length === 0) return state;
  const ids = failed.map(({ id }) => id);
  const current = await conversations.listContents(workspaceId, conversationId, ids);
  const messages = state.messages.map((message) => ({ ...message, ...current.get(message.id) }));
  return { ...state, messages };
}
