import { rulesOf } from '@svc/contract/channels';
import {
  type NewMessage,
  type StoredToolCall,
  textMessage,
  toWireMessage,
} from '../../conversations/conversations.service.ts';
import type { Transaction } from '../../database/database.ts';
import { newId } from '../../lib/new-id.ts';
import { withoutQuotation } from '../../lib/without-quotation.ts';
import type { ToolCallPart } from '../../models/model.ts';
import { placeOf } from '../../models/passages.ts';
import { storableJson } from '../../validation/storable.ts';
import type { TurnLease } from '../run/lease.ts';
import { isTraced, type TurnState, withSpent } from '../state.ts';
import { type ProposedToolCall, proposeToolCall } from '../tool-calls/propose-tool-call.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { completedEvent } from '../turns.wire.ts';
import type { UsageEntry } from '../write/step-changes.ts';
import { writeStep } from '../write/write-step.ts';
import { type Attempt, beginAttempt, brokenReply } from './attempt.ts';
import { isLastReply, outOfSteps } from './context/step-limit.ts';
import { gradeReply, isGraded } from './grade-reply.ts';
import { citationsOf } from './passages/citations-of.ts';
import { findPassages } from './passages/find-passages.ts';
import { readReply } from './read-reply.ts';
import type { KeptReply } from './reply-quality.ts';
import { modelTrace } from './trace-reply.ts';
import { whatIsSent } from './what-is-sent.ts';
import { withAttachments } from './with-attachments.ts';

/** Asks the model and writes its reply. One without calls ends a chat turn, or the agent's work on its goal. */
export async function replyStep(
  lease: TurnLease,
  written: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const shown = await withAttachments(lease, written, dependencies, signal);
  const able = await withFunctions(lease, shown, dependencies, signal);
  const { state, ...searched } = await findPassages(lease, able, dependencies, signal);
  const attempt = beginAttempt(lease, state, searched, dependencies);
  try {
    const { message, calls, kept } = await obtainReply(lease, attempt, state, dependencies, signal);
    const spent = [...searched.spent, ...attempt.purse.spent];
    const next = afterReply(state, calls, spent);
    const { run } = next;
    const first = await writeStep(lease, dependencies, {
      step: state.steps,
      status: next.ended ? 'completed' : 'running',
      replyIds: next.replyIds,
      ...(run && { within: (tx) => dependencies.runs.countIteration(tx, run) }),
      events: [
        { type: 'message.completed', data: { message: toWireMessage(message) } },
        ...(next.ended ? [completedEvent(lease.turnId, message.id, next)] : []),
      ],
      messages: [{ message, event: 0 }],
      usage: spent,
      trace: [...searched.trace, ...attempt.trace],
      calls: next.calls,
      ...(calls.length === 0 &&
        isWatched(lease, state) && { afterwards: (tx) => keep(tx, lease, kept, next, dependencies) }),
      beforePublish: () => attempt.reply.end(),
    });
    return { ...next, messages: [...state.messages, { ...message, sequence: first }] };
  } catch (error) {
    throw brokenReply(attempt, state, error, dependencies);
  } finally {
    attempt.reply.end();
  }
}

/** The functions of the bot's tools and where they work, read once per lease. */
async function withFunctions(
  lease: TurnLease,
  state: TurnState,
  { tools }: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  if (state.functions) return state;
  // In calls, bots can hang up without having a tool for it.
  const hasTools = state.bot.toolCount > 0 || rulesOf(lease.channel).hasCalls;
  if (!hasTools) return { ...state, functions: [] };
  const functions = await tools.functionsOf(lease, signal);
  return { ...state, functions, places: await tools.describePlaces(lease, state.bot, signal) };
}

function afterReply(state: TurnState, calls: readonly ProposedToolCall[], spent: UsageEntry[]): TurnState {
  // A run ends when the completion check confirms its goal, not when the agent says so.
  const ended = calls.length === 0 && !state.run;
  return {
    ...withSpent(state, spent),
    run: state.run && { ...state.run, iterations: state.run.iterations + 1 },
    steps: state.steps + 1,
    calls: calls.map(({ open }) => open),
    replyIds: ended ? [] : [newId()],
    ended,
  };
}

/** Other bots are spared the transaction. */
function isWatched({ channel }: TurnLease, { bot: { settings } }: TurnState): boolean {
  if (!rulesOf(channel).recordsQuality) return false;
  return settings.enable_confidence_scoring === true || settings.enable_response_validation === true;
}

async function keep(
  tx: Transaction,
  lease: TurnLease,
  kept: KeptReply,
  { ended }: TurnState,
  { quality }: TurnDependencies,
): Promise<void> {
  await quality.keep(tx, lease, kept);
  if (ended) await quality.validateLater(tx, lease, kept);
}

interface ObtainedReply {
  message: NewMessage;
  calls: ProposedToolCall[];
  kept: KeptReply;
}

/** Reads the model's reply, grades it if the bot wants that, and decides what is sent. Traces all of it in the attempt. */
async function obtainReply(
  { turnId, workspaceId, channel }: TurnLease,
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

  const { bot } = state;
  const isDue = isGraded(state) && calls.length === 0;
  const graded = isDue
    ? await gradeReply(asked.request, purse.modelOf, { turnId, bot, text: reply.text }, dependencies, signal)
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
  // Nobody hears the marks of a quotation.
  const content = rulesOf(channel).hasCalls ? withoutQuotation(sent.content) : sent.content;
  const message = {
    ...textMessage(reply.messageId, 'assistant', content, clock.now()),
    toolCalls,
    citations: sent.isModelText ? citationsOf(reply.text, marks.cited(), asked.passages) : [],
  };
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
