import type { BotRow } from '../../bots/service.ts';
import type { NewMessage } from '../../conversations/service.ts';
import type { Transaction } from '../../database/database.ts';
import type { Model, ModelRequest, Usage } from '../../models/model.ts';

/** Filled in by the quality feature, which stands above this one. */
export interface ReplyQuality {
  /**
   * Grades a whole reply before anybody sees it. Never throws: where no grade could be had it says why, and what was used
   * all the same, even if the signal aborts.
   */
  grade(reply: WholeReply, signal: AbortSignal): Promise<Grade>;
  /** Keeps what became of a reply to which the model added no calls, in the reply's own transaction. */
  keep(tx: Transaction, owner: ReplyOwner, reply: KeptReply): Promise<void>;
  /**
   * Has the answer of a turn compared with its sources in the background, if it should be and there are any; in the
   * transaction that ends the turn, after the answer was kept.
   */
  validateLater(tx: Transaction, owner: ReplyOwner, answer: FinalAnswer): Promise<void>;
}

/** The turn that a reply belongs to. */
export interface ReplyOwner {
  workspaceId: string;
  botId: string;
  conversationId: string;
  turnId: string;
}

/** What the model was asked, and what it said. */
export interface WholeReply {
  turnId: string;
  model: Model;
  request: ModelRequest;
  text: string;
}

export interface Grade {
  /** Between 0 and 1; null when the reply is ungraded. */
  score: number | null;
  /** Why it is ungraded, in our own words. */
  problem: string | null;
  /** What is sent instead of the reply; null when the reply is sent. */
  replacement: string | null;
  /** What was asked for the grade, and what it used; null when nobody was asked. */
  question: Pick<ModelRequest, 'system' | 'messages'> | null;
  usage: Usage | null;
}

export interface KeptReply {
  bot: BotRow;
  /** As it is sent. */
  message: NewMessage;
  /** Undefined where replies are not graded. */
  grade: Grade | undefined;
  /** What the model said and nobody is sent. */
  refusedText: string | null;
  /** What it could answer from, besides the results of its calls. */
  passages: readonly Passage[];
}

export interface FinalAnswer {
  bot: BotRow;
  message: Pick<NewMessage, 'id' | 'createdAt'>;
}

/** A piece of knowledge that was given to the model. */
export interface Passage {
  title: string;
  text: string;
}
