import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/new-id.ts';
import type { Model } from '../../models/model.ts';
import { BrokenReply } from '../reply/broken-reply.ts';
import { openPurse } from '../reply/purse.ts';
import type { TurnLease } from '../run/lease.ts';
import { isTraced, type TurnState, withSpent } from '../state.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { TraceEntry } from '../write/step-changes.ts';
import { type AskedVerdict, askVerdict } from './ask-verdict.ts';
import { completeStep } from './complete-step.ts';
import { type Evidence, questionAbout } from './completion-question.ts';
import { incompleteMessage } from './send-back.ts';
import { sendBackStep } from './send-back-step.ts';

const maxQuestionTokens = 32_000;
const shareOfWindow = 0.5;

/**
 * Before a run counts as complete, the bot's own model compares its goal with what its tools returned. That completes the run
 * or sends the agent back; without a verdict the run fails.
 */
export async function completionCheckStep(
  lease: TurnLease,
  output: string,
  state: TurnState,
  dependencies: TurnDependencies,
  signal: AbortSignal,
): Promise<TurnState> {
  const { models, telemetry, clock } = dependencies;
  const chosen = models.ofBot(state.bot.settings);
  const observed = telemetry.modelOf(lease.turnId, chosen);
  const { model, spent: usage } = openPurse(lease, observed, dependencies);
  const said = state.messages.at(-1)?.content ?? '';
  const evidence = await evidenceOf(lease, state, dependencies);
  const question = questionAbout({ goal: goalOf(state), evidence, said }, questionBudget(model));
  const startedAt = clock.now();
  const asked = await askVerdict(model, question, signal);
  const trace = isTraced(state) ? [traceOf(asked, startedAt, clock.now())] : [];
  if (!asked.verdict) throw new BrokenReply(asked.failure, { messageId: '', text: '', spent: usage, trace });
  const checked = withSpent(state, usage);
  return asked.verdict.verdict === 'complete'
    ? completeStep(lease, output, checked, dependencies, { usage, trace })
    : sendBackStep(lease, incompleteMessage(asked.verdict), checked, dependencies, { usage, trace });
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
async function evidenceOf(
  lease: TurnLease,
  { messages }: TurnState,
  { conversations }: TurnDependencies,
): Promise<Evidence[]> {
  const calls = await conversations.listCalls(lease.workspaceId, lease.turnId);
  const answers = new Map(messages.map(({ toolCallId, content }) => [toolCallId, content]));
  return calls.map(({ id, name, arguments: given, executedArguments, status }) => ({
    name,
    arguments: executedArguments ?? given,
    status,
    returned: answers.get(id) ?? '',
  }));
}

function traceOf({ request, verdict, usage, failure }: AskedVerdict, startedAt: Date, now: Date): TraceEntry {
  return {
    id: newId(),
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
