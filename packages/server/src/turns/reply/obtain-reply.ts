import {
  type NewMessage,
  type StoredToolCall,
  textMessage,
} from '../../conversations/conversations.service.ts';
import type { ToolCallPart } from '../../models/model.ts';
import { placeOf } from '../../models/passages.ts';
import { storableJson } from '../../validation/storable.ts';
import type { TurnLease } from '../run/lease.ts';
import { isTraced, type TurnState } from '../state.ts';
import { type ProposedToolCall, proposeToolCall } from '../tool-calls/propose-tool-call.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { Attempt } from './attempt.ts';
import { isLastReply, outOfSteps } from './context/step-limit.ts';
import { gradeReply, isGraded } from './grade-reply.ts';
import { citationsOf } from './passages/citations-of.ts';
import { readReply } from './read-reply.ts';
import type { KeptReply } from './reply-quality.ts';
import { modelTrace } from './trace-reply.ts';
import { whatIsSent } from './what-is-sent.ts';

export interface ObtainedReply {
  message: NewMessage;
  calls: ProposedToolCall[];
  kept: KeptReply;
}

/** Reads the model's reply, grades it if the bot wants that, and decides what is sent. Traces all of it in the attempt. */
export async function obtainReply(
  { turnId, workspaceId }: TurnLease,
  { asked, reply, marks, purse, trace }: Attempt,
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<ObtainedReply> {
  const { clock } = dependencies;
  const { usage, calls: parts } = await readReply({ asked, reply, marks }, signal);
  const endedAt = clock.now();
  const said = reply.text;
  // A model may call tools even if none was offered: nothing runs, and the turn ends with its text.
  const dropped = isLastReply(state) ? parts : [];
  const isCutShort = dropped.length > 0 || asked.request.toolsDisabled === true;
  if (isCutShort && said.trim() === '') reply.append(outOfSteps);
  const proposing = { messageId: reply.messageId, workspaceId, functions: state.functions ?? [], signal };
  const proposed = dropped.length > 0 ? [] : parts;
  const calls = await Promise.all(proposed.map((part, index) => proposeToolCall(part, index, proposing)));

  const isDue = isGraded(state) && calls.length === 0;
  const graded = isDue
    ? await gradeReply(asked.request, purse.modelOf, { turnId, text: reply.text }, dependencies, signal)
    : undefined;
  if (graded && isTraced(state)) trace.push(graded.trace);
  signal.throwIfAborted();

  const sent = whatIsSent(reply.text, { isGraded: isGraded(state), grade: graded?.grade });
  const toolCalls = calls.map(({ stored }) => stored);
  if (isTraced(state)) {
    const text = sent.isModelText ? said : undefined;
    const shown = { calls: toolCalls.map(shownCall), dropped: dropped.map(droppedCall) };
    trace.unshift(modelTrace(asked, { text, ...shown, usage, endedAt }));
  }
  const message = {
    ...textMessage(reply.messageId, 'assistant', sent.content, clock.now()),
    toolCalls,
    citations: sent.isModelText ? citationsOf(reply.text, marks.cited(), asked.passages) : [],
  };
  const { bot } = state;
  const { refusedText } = sent;
  const passages = (state.passages ?? []).map((passage) => ({
    title: placeOf(passage),
    text: passage.quote,
  }));
  const kept = { bot, message, grade: graded?.grade, refusedText, passages };
  return { message, calls, kept };
}

function droppedCall({ name, arguments: given }: ToolCallPart) {
  return { name, arguments: storableJson(given) };
}

function shownCall({ id, name, arguments: given }: StoredToolCall) {
  return { id, name, arguments: given };
}
