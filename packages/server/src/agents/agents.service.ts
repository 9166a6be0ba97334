import { setTimeout as sleep } from 'node:timers/promises';
import type { TriggeredRun, TriggerRun } from '@svc/contract/agents';
import type { RunTrigger } from '@svc/contract/conversations';
import type { BotRow } from '../bots/bots.service.ts';
import { titleOf } from '../conversations/conversations.service.ts';
import { isConnectionFailure, type Transaction } from '../database/database.ts';
import type { RecordAnswer } from '../idempotency/idempotency.service.ts';
import { AppError, invalid, notFound } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import type { Services } from '../services.ts';
import type { AdmittedTurn, TurnOptions } from '../turns/turns.service.ts';
import { runMessage, runTerms } from './run-terms.ts';

/** Busy: the agent has a run that is not over. */
export type RunAdmission = AdmittedTurn | { kind: 'busy' };

export interface RunWanted {
  workspaceId: string;
  /** An active agent. */
  bot: BotRow;
  trigger: RunTrigger;
  /** The request that triggers it, if any. */
  requestId?: string;
  traceParent?: string | undefined;
  /** The member or account key that it acts for. */
  actsFor: string | undefined;
  payload?: string | undefined;
  /** Replaces the agent's own limit when greater than zero. */
  maxIterations?: number | undefined;
  now: Date;
}

export interface TriggerContext {
  trigger: Exclude<RunTrigger, 'schedule'>;
  requestId: string;
  traceParent?: string | undefined;
  actsFor: string;
  record: RecordAnswer<TriggeredRun>;
}

export type AgentService = ReturnType<typeof createAgentService>;

/** The channel of all runs. */
const channel = 'agent';
const maxAttempts = 10;

export function createAgentService(
  dependencies: Pick<Services, 'bots' | 'clock' | 'conversations' | 'database' | 'runs' | 'turns'>,
) {
  const { database, bots, conversations, runs, turns, clock } = dependencies;

  /**
   * Writes a run in the caller's transaction; `begin` starts it once that is committed. An agent that has a run which is
   * not over is busy, and nothing is written. What it throws (no goal, no longer an
   * active agent, a model without a price, INSUFFICIENT_BALANCE of a scheduled run) must undo the transaction.
   * What else a run lacks, such as a machine, is reported on its conversation when it fails.
   */
  async function admitRun(tx: Transaction, wanted: RunWanted): Promise<RunAdmission> {
    const { workspaceId, bot, trigger, now } = wanted;
    const goal = bot.agentGoal ?? '';
    if (goal.trim() === '')
      throw new AppError('VALIDATION_FAILED', {
        message: 'The agent has no goal, so there is nothing to run.',
        details: [{ path: 'agent_goal', message: 'is empty' }],
      });
    const payload = wanted.payload?.trim() ? wanted.payload : null;
    // Locked before the run is recorded, in the same order as schedules, so that the two cannot deadlock.
    await bots.lock(tx, workspaceId, bot.id);
    const thread = bot.settings.persistent_conversation
      ? await conversations.findNewest(tx, workspaceId, bot.id, channel)
      : undefined;
    const place = { turnId: newId(), conversationId: thread?.id ?? newId() };
    const run = await runs.open(tx, workspaceId, {
      ...place,
      botId: bot.id,
      trigger,
      goal,
      payload,
      outputConfig: bot.outputConfig,
      ...runTerms(bot, wanted.maxIterations, now),
    });
    if (!run) return { kind: 'busy' };
    const newConversation = { externalUserId: null, title: titleOf(goal), metadata: {} };
    const admission = await turns.admitTurn(
      {
        ...place,
        workspaceId,
        bot,
        channel,
        ...(!thread && { newConversation }),
        text: runMessage(goal, payload),
        options: runOptions(wanted),
        run,
      },
      tx,
    );
    switch (admission.kind) {
      case 'admitted':
        break;
      case 'stale_bot':
        throw notFound();
      case 'deleted':
      case 'busy':
      case 'elsewhere':
      case 'needs_reservation':
        throw new Error(`The run's turn was not admitted: ${admission.kind}.`);
    }
    // Since it was read it may have become something else; from here on it stays what it is until the commit.
    if (!(await bots.noteRun(tx, workspaceId, bot.id, now))) throw notFound();
    return admission;
  }

  return {
    admitRun,

    /** Starts a run in the background. Its outcome is stored on the conversation. */
    async trigger(
      workspaceId: string,
      agentId: string,
      body: TriggerRun,
      { trigger, requestId, traceParent, actsFor, record }: TriggerContext,
    ): Promise<TriggeredRun> {
      const bot = await bots.getRow(workspaceId, agentId);
      if (bot.status !== 'active') throw notFound();
      if (bot.botType !== 'agent') throw invalid('id', 'names a chatbot: only agents can be triggered');
      const wanted = {
        workspaceId,
        bot,
        trigger,
        requestId,
        traceParent,
        actsFor,
        payload: body?.payload,
        maxIterations: body?.max_iterations,
        now: clock.now(),
      };
      let admission: RunAdmission | undefined;
      try {
        await database.within(workspaceId).transaction(async (tx) => {
          admission = await admitRun(tx, wanted);
          if (admission.kind === 'busy') throw new AppError('RUN_IN_PROGRESS');
          await record(tx, acceptedAnswer(admission.conversationId));
        });
      } catch (error) {
        if (error instanceof AppError) throw await withRunInProgress(error, workspaceId, agentId);
        // The commit may have succeeded although its answer was lost: a stored run is accepted.
        if (!(await isStored(workspaceId, admission))) throw notStarted(error);
      }
      if (admission?.kind !== 'admitted') throw notStarted();
      admission.begin();
      return acceptedAnswer(admission.conversationId);
    },
  };

  /** Names the run in progress, unless it has ended since. */
  async function withRunInProgress(error: AppError, workspaceId: string, agentId: string): Promise<AppError> {
    if (error.code !== 'RUN_IN_PROGRESS') return error;
    const run = await runs.findOpen(workspaceId, agentId);
    if (!run) return error;
    return new AppError('RUN_IN_PROGRESS', {
      details: [{ run_id: run.turnId, conversation_id: run.conversationId }],
    });
  }

  /** Retries for a while: a lost database connection usually comes back soon. */
  async function isStored(workspaceId: string, admission: RunAdmission | undefined): Promise<boolean> {
    if (admission?.kind !== 'admitted') return false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await runs.find(workspaceId, admission.turnId)) !== undefined;
      } catch (error) {
        if (attempt === maxAttempts || !isConnectionFailure(error)) throw notStarted(error);
        await sleep(500);
      }
    }
  }
}

function runOptions({ requestId, traceParent, actsFor }: RunWanted): TurnOptions {
  return {
    ...(requestId !== undefined && { request_id: requestId }),
    ...(traceParent !== undefined && { trace_parent: traceParent }),
    ...(actsFor !== undefined && { acts_for: actsFor }),
  };
}

function notStarted(cause?: unknown): AppError {
  return new AppError('INTERNAL', { message: 'The run could not be started.', cause });
}

function acceptedAnswer(conversationId: string): TriggeredRun {
  return {
    success: true,
    data: { conversation_id: conversationId, status: 'accepted' },
    message: 'The run has started: its outcome will be on the conversation.',
  };
}
