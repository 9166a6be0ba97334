import { AppError } from '../app-error.ts';
import type { BotRow } from '../bots/service.ts';
import { titleOf } from '../conversations/service.ts';
import type { Transaction } from '../database/database.ts';
import { numbered } from '../events/event.ts';
import type { NanoUsd } from '../money.ts';
import type { NewRun, RunRow } from '../runs/service.ts';
import { newAdmission } from './admission.ts';
import type { TurnDependencies } from './dependencies.ts';
import { stepReservation } from './reservation.ts';
import type { TurnRunner } from './runner.ts';
import { newState, type TurnState } from './state.ts';
import { type Admission, turnStore } from './store.ts';

export interface RunToAdmit {
  workspaceId: string;
  bot: BotRow;
  /** Where it goes on; a new conversation when left out. */
  conversationId: string | undefined;
  /** The goal and what came with it, as the agent reads it. */
  message: string;
  run: Omit<NewRun, 'turnId' | 'botId' | 'conversationId'>;
}

export type RunAdmission =
  | {
      kind: 'admitted';
      turnId: string;
      conversationId: string;
      /** Once committed: starts it on this node. A node that dies before leaves a turn that the sweep takes up. */
      begin(): void;
    }
  /** The agent has a run that is not over. */
  | { kind: 'busy' };

export type AdmitRun = (tx: Transaction, wanted: RunToAdmit) => Promise<RunAdmission>;

/**
 * Writes a run and its turn in the caller's transaction. Throws INSUFFICIENT_BALANCE and what else keeps a turn from
 * being admitted: the transaction must then be rolled back.
 */
export function createAdmitRun(dependencies: TurnDependencies & { runner: TurnRunner }): AdmitRun {
  const { bus, runs, workspaces, billing, conversations, runner, nodeId } = dependencies;

  return async (tx, { workspaceId, bot, conversationId, message, run: terms }) => {
    const admission = newAdmission({
      workspaceId,
      botId: bot.id,
      conversationId,
      newConversation: {
        channel: 'agent',
        externalUserId: null,
        title: titleOf(terms.goal),
        metadata: {},
      },
      text: message,
      options: {},
      nodeId,
      now: terms.startedAt,
    });
    const { lease } = admission;
    const { turnId } = lease;
    const place = { turnId, botId: bot.id, conversationId: lease.conversationId };
    const run = await runs.open(tx, workspaceId, { ...terms, ...place });
    if (!run) return { kind: 'busy' };
    const { creditUsd } = await workspaces.getWithin(tx, workspaceId);
    lease.isMetered = creditUsd !== null;
    if (lease.isMetered) admission.reserved = firstReservation(bot, message);
    const first = await turnStore.admit(tx, workspaceId, admission);
    if (first === undefined) throw new Error('The conversation of a run has another turn that is not over.');
    if (creditUsd !== null) await billing.reserve(tx, workspaceId, creditUsd, admission.reserved);
    return {
      kind: 'admitted',
      turnId,
      conversationId: lease.conversationId,
      begin() {
        bus.publish(lease.conversationId, numbered(admission.events, first, turnId));
        runner.start(lease, () => readState(admission, bot, run, first));
      },
    };
  };

  /** A run on no model at all is admitted too: that it failed, and why, is told on its conversation. */
  function firstReservation(bot: BotRow, message: string): NanoUsd {
    const { models } = dependencies;
    try {
      const model = models.resolve(bot.settings.model ?? models.defaultModelId());
      return stepReservation(model, bot, message, models);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NO_MODEL_CONFIGURED') return 0n;
      throw error;
    }
  }

  async function readState(
    { lease, message, replyId, newConversation }: Admission,
    bot: BotRow,
    run: RunRow,
    sequence: number,
  ): Promise<TurnState> {
    const history = newConversation
      ? { summary: null, messages: [{ ...message, sequence }] }
      : await conversations.history(lease.workspaceId, lease.conversationId);
    return newState(bot, history, replyId, run);
  }
}
