import type { BotRow } from '../../bots/service.ts';
import type { Transaction } from '../../database/database.ts';
import { numbered } from '../../events/event.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { TurnRunner } from '../run/runner.ts';
import { newState, type TurnState } from '../state.ts';
import { turnStore } from '../store.ts';
import { type Admission, type AdmissionParts, newAdmission, saidFirst } from './new-turn.ts';
import { admissionQuote, reserveAdmitted } from './reservation.ts';
import { turnInProgress } from './turn-in-progress.ts';

export interface TurnToAdmit extends Omit<AdmissionParts, 'botId' | 'greeting' | 'nodeId' | 'now'> {
  /** As it is to answer: the options must say which version, where that is not the newest. */
  bot: BotRow;
}

export interface AdmittedTurn {
  turnId: string;
  conversationId: string;
  /** Once committed: starts it on this node. A node that dies before leaves a turn that the sweep takes up. */
  begin(): void;
}

export type AdmitTurn = (tx: Transaction, wanted: TurnToAdmit) => Promise<AdmittedTurn>;

/**
 * Writes a turn of our own in the caller's transaction. Throws INSUFFICIENT_BALANCE, TURN_IN_PROGRESS and what else keeps one
 * from being admitted: the transaction must then be rolled back.
 */
export function createAdmitTurn(dependencies: TurnDependencies & { runner: TurnRunner }): AdmitTurn {
  const { bus, models, workspaces, billing, conversations, runner, nodeId, clock } = dependencies;

  return async (tx, { bot, ...parts }) => {
    const { workspaceId } = parts;
    const model = models.resolve(bot.settings.model ?? models.defaultModelId());
    const admission = newAdmission({ ...parts, botId: bot.id, nodeId, now: clock.now() });
    const { lease } = admission;
    const { creditUsd } = await workspaces.getWithin(tx, workspaceId);
    lease.isMetered = creditUsd !== null;
    const first = await turnStore.admit(tx, workspaceId, admission);
    if (first === undefined) throw turnInProgress(lease.conversationId);
    if (creditUsd !== null) {
      const quote = admissionQuote(model, stateOf(admission, bot, first), models);
      await reserveAdmitted(tx, lease, creditUsd, quote, { billing });
    }
    return {
      turnId: lease.turnId,
      conversationId: lease.conversationId,
      begin() {
        bus.publish(lease.conversationId, numbered(admission.events, first, lease.turnId));
        runner.start(lease, () => readState(admission, bot, first));
      },
    };
  };

  async function readState(admission: Admission, bot: BotRow, sequence: number): Promise<TurnState> {
    const { lease, newConversation, replyId } = admission;
    if (newConversation) return stateOf(admission, bot, sequence);
    return newState(bot, await conversations.history(lease.workspaceId, lease.conversationId), replyId);
  }
}

/** As if it were the first turn of its conversation. */
function stateOf(admission: Admission, bot: BotRow, first: number): TurnState {
  return newState(bot, { summary: null, messages: saidFirst(admission, first) }, admission.replyId);
}
