import type { Transaction } from '../database/database.ts';
import type { StreamEvent } from '../events/event.ts';

export interface PausedTurn {
  workspaceId: string;
  conversationId: string;
  turnId: string;
  botId: string;
  /** The version of the bot that answers, if it is not the current one. */
  options?: { bot_version?: number };
}

/** The paired machine that a turn was sent with, for tools whose configuration names none. Provided as `ResumeTurn` is. */
export type MachineOfTurn = (
  tx: Transaction,
  turn: Pick<PausedTurn, 'workspaceId' | 'turnId'>,
) => Promise<string | undefined>;

/**
 * Lets a paused turn continue, in the caller's transaction; `start` is called after the commit. Provided by the turns
 * feature, which is above this one.
 */
export type ResumeTurn = (
  tx: Transaction,
  turn: PausedTurn,
) => Promise<{ events: StreamEvent[]; start(): void }>;
