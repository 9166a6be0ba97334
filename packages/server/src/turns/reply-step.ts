import { errorCodes } from '@svc/contract/errors';
import { AppError } from '../app-error.ts';
import {
  type NewMessage,
  type StoredToolCall,
  textMessage,
  toWireMessage,
} from '../conversations/service.ts';
import type { NewEvent } from '../events/event.ts';
import type { Model, ModelRequest, ToolCallPart, Usage } from '../models/model.ts';
import { costOf } from '../models/prices.ts';
import { estimateTokens } from '../models/token-estimate.ts';
import { formatUsd } from '../money.ts';
import { newId } from '../new-id.ts';
import { proposeCall } from './calls/propose.ts';
import { modelRequest } from './context.ts';
import type { TurnDependencies } from './dependencies.ts';
import { StopRequested, type TurnLease } from './lease.ts';
import type { LiveReply } from './live-replies.ts';
import { addUsage, type TurnState } from './state.ts';
import type { TraceEntry, UsageEntry } from './step-write.ts';
import { createWholeCharacters } from './whole-characters.ts';
import { wireUsage } from './wire.ts';
import { writeStep } from './write-step.ts';

/** A reply that ended before it was whole, with what there was of it. */
export class BrokenReply extends Error {
  readonly text: string;
  readonly messageId: string;
  readonly spent: UsageEntry | undefined;
  /** How the call went, when the bot is traced. */
  trace: TraceEntry[] = [];

  constructor(cause: unknown, messageId: string, text: string, spent: UsageEntry | undefined) {
    super('The reply broke off.', { cause });
    this.name = 'BrokenReply';
    this.messageId = messageId;
    this.text = text;
    this.spent = spent;
  }
}

/** Asks the model and writes its reply: with calls to make, or as the end of the turn, or of the agent's work on a goal. */
export async function replyStep(
  lease: TurnLease,
  written: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const { models, replies, clock, telemetry } = dependencies;
  const state = await withFunctions(lease, written, dependencies, signal);
  const chosen = models.resolve(state.bot.settings.model ?? models.defaultModelId());
  const model = telemetry.modelOf(lease.turnId, chosen);
  const request = modelRequest(state, model);
  const messageId = state.replyIds.at(-1) ?? newId();
  const reply = replies.begin(lease.conversationId, lease.turnId, messageId, state.replyIds.slice(0, -1));
  const startedAt = clock.now();
  try {
    const { usage, calls: parts } = await readReply(model, request, reply, signal, dependencies);
    const calls = parts.map((part, index) => proposeCall(part, index, messageId, state.functions ?? []));
    const spent = usageEntry(model, usage, dependencies);
    const message: NewMessage = {
      ...textMessage(messageId, 'assistant', reply.text, clock.now()),
      toolCalls: calls.map(({ stored }) => stored),
    };
    // A run is over when it was checked that its goal is reached, not when the agent says so.
    const ended = calls.length === 0 && !state.run;
    const run = state.run && { ...state.run, iterations: state.run.iterations + 1 };
    const next: TurnState = {
      ...state,
      run,
      steps: state.steps + 1,
      calls: calls.map(({ open }) => open),
      replyIds: ended ? [] : [newId()],
      usage: addUsage(state.usage, usage),
      cost: state.cost + spent.cost,
      ended,
    };
    const output = {
      text: reply.text,
      ...(calls.length > 0 && { tool_calls: message.toolCalls.map(shownCall) }),
    };
    const first = await writeStep(lease, dependencies, {
      step: state.steps,
      status: next.ended ? 'completed' : 'running',
      replyIds: next.replyIds,
      ...(run && { within: (tx) => dependencies.runs.countIteration(tx, run) }),
      events: [
        { type: 'message.completed', data: { message: toWireMessage(message) } },
        ...(next.ended ? [completedEvent(lease.turnId, messageId, next)] : []),
      ],
      messages: [{ message, event: 0 }],
      usage: [spent],
      trace: isTraced(state) ? [modelTrace(model, request, output, usage, startedAt, clock.now())] : [],
      calls: next.calls,
      beforePublish: () => reply.end(),
    });
    return { ...next, messages: [...state.messages, { ...message, sequence: first }] };
  } catch (error) {
    if (!(error instanceof BrokenReply)) throw new BrokenReply(error, messageId, reply.text, undefined);
    if (isTraced(state)) error.trace.push(brokenTrace(model, request, error, startedAt, clock.now()));
    throw error;
  } finally {
    reply.end();
  }
}

/** What the bot's tools offer, read once per lease; most bots have none and are not asked. */
async function withFunctions(
  lease: TurnLease,
  state: TurnState,
  { tools }: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  if (state.functions) return state;
  const hasTools = state.bot.toolCount > 0;
  return {
    ...state,
    functions: hasTools ? await tools.functionsOf(lease.workspaceId, lease.botId, signal) : [],
  };
}

export function completedEvent(turnId: string, messageId: string, { usage, cost }: TurnState): NewEvent {
  return {
    type: 'turn.completed',
    data: { turn_id: turnId, message_id: messageId, usage: wireUsage(usage), cost_usd: formatUsd(cost) },
  };
}

function shownCall({ id, name, arguments: given }: StoredToolCall) {
  return { id, name, arguments: given };
}

async function readReply(
  model: Model,
  request: ModelRequest,
  reply: LiveReply,
  signal: AbortSignal,
  dependencies: TurnDependencies,
): Promise<{ usage: Usage; calls: ToolCallPart[] }> {
  const calls: ToolCallPart[] = [];
  const characters = createWholeCharacters();
  const show = (text: string) => {
    if (text) reply.append(text);
  };
  let usage: Usage | undefined;
  try {
    for await (const part of model.stream(request, signal)) {
      if (part.type === 'text') show(characters.push(part.text));
      if (part.type === 'tool-call') calls.push(part);
      if (part.type === 'finish') usage = part.usage;
    }
    show(characters.rest());
  } catch (error) {
    // The provider counts what it sent, whether it was needed to the end or not.
    const guess = reply.text && usageEntry(model, guessUsage(request, reply.text), dependencies);
    throw new BrokenReply(error, reply.messageId, reply.text, guess || undefined);
  }
  return { usage: usage ?? guessUsage(request, reply.text), calls };
}

function guessUsage(request: ModelRequest, text: string): Usage {
  const asked = estimateTokens(
    (request.system ?? '') + request.messages.map(({ content }) => content).join('\n'),
  );
  return { inputTokens: asked, cachedInputTokens: 0, outputTokens: estimateTokens(text), estimated: true };
}

export function usageEntry(
  model: Model,
  usage: Usage,
  { models }: Pick<TurnDependencies, 'models'>,
): UsageEntry {
  const price = models.priceOf(model.id);
  return { id: newId(), model: model.id, usage, cost: price ? costOf(usage, price) : 0n };
}

export function isTraced({ bot }: TurnState): boolean {
  return bot.settings.enable_agent_tracing === true;
}

function modelTrace(
  model: Model,
  request: ModelRequest,
  output: unknown,
  usage: Usage | null,
  startedAt: Date,
  endedAt: Date,
): TraceEntry {
  return {
    id: newId(),
    type: 'model',
    name: model.id,
    status: 'ok',
    startedAt,
    durationMs: endedAt.getTime() - startedAt.getTime(),
    input: { system: request.system, messages: request.messages },
    output,
    usage,
    error: null,
  };
}

/** A call that failed or was stopped. Only sentences of our own are shown, never a provider's or the system's. */
function brokenTrace(
  model: Model,
  request: ModelRequest,
  { text, spent, cause }: BrokenReply,
  startedAt: Date,
  endedAt: Date,
): TraceEntry {
  const isOurs = cause instanceof AppError || cause instanceof StopRequested;
  return {
    ...modelTrace(model, request, { text }, spent?.usage ?? null, startedAt, endedAt),
    status: 'error',
    error: isOurs ? cause.message : errorCodes.INTERNAL.message,
  };
}
