import type { Channel } from '@svc/contract/channels';
import { AppError } from '../../app-error.ts';
import type { Quote } from '../../billing/service.ts';
import type { BotRow } from '../../bots/service.ts';
import { titleOf } from '../../conversations/service.ts';
import type { Transaction } from '../../database/database.ts';
import { numbered } from '../../events/event.ts';
import type { NewRun, RunRow } from '../../runs/service.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { TurnRunner } from '../run/runner.ts';
import { newState, type TurnState } from '../state.ts';
import { turnStore } from '../store.ts';
import { type Admission, newAdmission, saidFirst } from './admission.ts';
import { admissionQuote, reserveAdmitted } from './reservation.ts';

export interface RunToAdmit {
  workspaceId: string;
  bot: BotRow;
  channel: Channel;
  /** Where it goes on; a new conversation when left out. */
  conversationId: string | undefined;
  /** The request that it came by, if any. */
  requestId: string | undefined;
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

  return async (tx, { workspaceId, bot, channel, conversationId, requestId, message, run: terms }) => {
    const admission = newAdmission({
      workspaceId,
      botId: bot.id,
      channel,
      conversationId,
      newConversation: {
        externalUserId: null,
        title: titleOf(terms.goal),
        metadata: {},
      },
      text: message,
      options: requestId === undefined ? {} : { request_id: requestId },
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
    const first = await turnStore.admit(tx, workspaceId, admission);
    if (first === undefined) throw new Error('The conversation of a run has another turn that is not over.');
    const quote = creditUsd === null ? undefined : firstQuote(stateOf(admission, bot, run, first));
    if (creditUsd !== null && quote) await reserveAdmitted(tx, lease, creditUsd, quote, { billing });
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
  function firstQuote(state: TurnState): Quote | undefined {
    const { models } = dependencies;
    try {
      const model = models.resolve(state.bot.settings.model ?? models.defaultModelId());
      return admissionQuote(model, state, models);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NO_MODEL_CONFIGURED') return undefined;
      throw error;
    }
  }

  async function readState(
    admission: Admission,
    bot: BotRow,
    run: RunRow,
    sequence: number,
  ): Promise<TurnState> {
    const { lease, newConversation, replyId } = admission;
    if (newConversation) return stateOf(admission, bot, run, sequence);
    const history = await conversations.history(lease.workspaceId, lease.conversationId);
    return newState(bot, history, replyId, run);
  }
}

/** As if it were the first turn of its conversation. */
function stateOf(admission: Admission, bot: BotRow, run: RunRow, first: number): TurnState {
  return newState(bot, { summary: null, messages: saidFirst(admission, first) }, admission.replyId, run);
}
