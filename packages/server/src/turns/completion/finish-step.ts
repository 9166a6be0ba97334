import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import { askForJson } from '../../models/ask-for-json.ts';
import type { Model, ModelRequest, Usage } from '../../models/model.ts';
import { BrokenReply } from '../reply/broken-reply.ts';
import { openPurse } from '../reply/purse.ts';
import type { TurnLease } from '../run/lease.ts';
import { isTraced, type TurnState, withSpent } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import { completedEvent } from '../turns.wire.ts';
import type { StepChanges, TraceEntry } from '../write/step-changes.ts';
import { writeStep } from '../write/write-step.ts';
import { instructions, questionAbout } from './completion-question.ts';
import { readVerdict, type Verdict, verdictForm } from './completion-verdict.ts';
import { readOutput } from './run-output.ts';
import { incompleteMessage, unusableMessage } from './send-back.ts';
import { sendBackStep } from './send-back-step.ts';

/** The agent says that it is done: its goal is checked if its output is usable; otherwise it is sent back. */
export async function finishStep(
  lease: TurnLease,
  finalText: string,
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const output = await readOutput(state.run?.outputConfig ?? null, finalText, lease.workspaceId, signal);
  if (output.kind === 'unusable') {
    return sendBackStep(lease, unusableMessage(output.faults), state, dependencies);
  }
  return completionCheckStep(lease, output.text, state, dependencies, signal);
}

const maxQuestionTokens = 32_000;
const shareOfWindow = 0.5;

/**
 * Before a run counts as complete, the bot's own model compares its goal with what its tools returned. That completes the run
 * or sends the agent back; without a verdict the run fails.
 */
async function completionCheckStep(
  lease: TurnLease,
  output: string,
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const { models, telemetry, clock } = dependencies;
  const chosen = models.ofBot(state.bot.settings);
  const observed = telemetry.modelOf(lease.turnId, chosen);
  const messageId = newId();
  const traceId = newId();
  const { modelOf, spent: usage } = openPurse(lease, observed, dependencies, { messageId });
  const model = modelOf(traceId);
  const said = state.messages.at(-1)?.content ?? '';
  const evidence = await evidenceOf(lease, state, dependencies);
  const question = questionAbout({ goal: goalOf(state), evidence, said }, questionBudget(model));
  const startedAt = clock.now();
  const asked = await askVerdict(model, question, signal);
  const trace = isTraced(state) ? [traceOf(traceId, asked, startedAt, clock.now())] : [];
  if (!asked.verdict) throw new BrokenReply(asked.failure, { messageId: '', text: '', spent: usage, trace });
  const checked = withSpent(state, usage);
  return asked.verdict.verdict === 'complete'
    ? completeStep(lease, output, checked, dependencies, { usage, trace })
    : sendBackStep(lease, incompleteMessage(asked.verdict), checked, dependencies, {
        messageId,
        usage,
        trace,
      });
}

/** More than a conversation gets, because what is cut here cannot be confirmed. */
function questionBudget({ contextWindow }: Pick<Model, 'contextWindow'>): number {
  return Math.min(maxQuestionTokens, contextWindow * shareOfWindow);
}

/** The agent was given its goal in the first message of its turn. */
function goalOf({ messages, run }: TurnState): string {
  return (
    messages.findLast(({ role, continues }) => role === 'user' && !continues)?.content ?? run?.goal ?? ''
  );
}

/** From the stored calls, not from the agent's text. */
async function evidenceOf(lease: TurnLease, { messages }: TurnState, { conversations }: TurnDependencies) {
  const calls = await conversations.listCalls(lease.workspaceId, lease.turnId);
  const answers = new Map(messages.map(({ toolCallId, content }) => [toolCallId, content]));
  return calls.map(({ id, name, arguments: given, executedArguments, status }) => ({
    name,
    arguments: executedArguments ?? given,
    status,
    returned: answers.get(id) ?? '',
  }));
}

function traceOf(
  id: string,
  { request, verdict, usage, failure }: AskedVerdict,
  startedAt: Date,
  now: Date,
): TraceEntry {
  return {
    id,
    type: 'goal_completion_check',
    name: 'Goal Completion Check',
    status: verdict ? 'ok' : 'error',
    startedAt,
    durationMs: now.getTime() - startedAt.getTime(),
    input: { system: request.system, messages: request.messages },
    output: verdict ?? null,
    usage,
    // Only our own messages are shown.
    error: verdict ? null : failure instanceof AppError ? failure.message : 'The check did not end.',
  };
}

interface AskedVerdict {
  /** Undefined when there is none; `failure` says why. */
  verdict: Verdict | undefined;
  failure: unknown;
  request: ModelRequest;
  /** Of every attempt; null when the provider counts none. */
  usage: Usage | null;
}

/** Asks a model whether a goal is reached. Never throws, because what it used must be paid for. */
async function askVerdict(model: Model, prompt: string, signal: AbortSignal): Promise<AskedVerdict> {
  const question = { system: instructions, prompt, signal, read: readVerdict };
  const answer = await askForJson(model, verdictForm, question);
  const { request, usage } = answer;
  switch (answer.kind) {
    case 'value':
      return { verdict: answer.value, failure: undefined, request, usage };
    case 'unusable': {
      const failure = uncheckable('the model gave no verdict that can be read.', answer.problem);
      return { verdict: undefined, failure, request, usage };
    }
    case 'failed':
      return { verdict: undefined, failure: failureOf(answer.failure), request, usage };
  }
}

function failureOf(failure: Error): Error {
  if (!(failure instanceof AppError) || failure.code === 'INSUFFICIENT_BALANCE') return failure;
  return uncheckable(failure.message, failure);
}

function uncheckable(reason: string, cause: Error): AppError {
  return new AppError('GOAL_CHECK_FAILED', {
    message: `Whether the goal was reached could not be checked: ${reason}`,
    cause,
  });
}

/** Ends a run whose goal is reached. */
async function completeStep(
  lease: TurnLease,
  output: string,
  state: TurnState,
  dependencies: TurnDependencies,
  { usage, trace }: Pick<StepChanges, 'usage' | 'trace'>,
): Promise<TurnState> {
  const { runs, quality, clock } = dependencies;
  const { run, bot, steps, messages } = state;
  const answer = messages.at(-1);
  if (!run) throw new Error('Only a run can be complete.');
  const end = { status: 'completed', finalOutput: output, error: null, endedAt: clock.now() } as const;
  await writeStep(lease, dependencies, {
    step: steps,
    status: 'completed',
    replyIds: [],
    within: (tx) => runs.end(tx, run, end),
    events: [completedEvent(lease.turnId, answer?.id ?? null, state)],
    messages: [],
    usage,
    trace,
    async afterwards(tx) {
      if (answer) await quality.validateLater(tx, lease, { bot, message: answer });
    },
  });
  return { ...state, run: { ...run, ...end }, steps: steps + 1, replyIds: [], ended: true };
}
