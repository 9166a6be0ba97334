import type { BotRow } from '../../bots/bots.service.ts';
import type { NewMessage } from '../../conversations/conversations.service.ts';
import type { Transaction } from '../../database/database.ts';
import type { Model, ModelRequest, Usage } from '../../models/model.ts';

/** Provided by the quality feature, which is above this one. */
export interface ReplyQuality {
  /**
   * Grades a complete reply before anybody sees it. Never throws, even if the signal aborts: without a grade it returns the reason,
   * and the usage.
   */
  grade(reply: WholeReply, signal: AbortSignal): Promise<Grade>;
  /** Stores the quality record of a reply without calls, in the reply's own transaction. */
  keep(tx: Transaction, owner: ReplyOwner, reply: KeptReply): Promise<void>;
  /**
   * Enqueues the comparison of an answer with its sources, if the bot wants it and there are any. Part of the transaction that ends
   * the turn, after `keep`.
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

/** The request and the model's reply. */
export interface WholeReply {
  turnId: string;
  bot: Pick<BotRow, 'settings' | 'promptBuilder'>;
  model: Model;
  request: ModelRequest;
  text: string;
}

export interface Grade {
  /** Between 0 and 1; null when the reply is ungraded. */
  score: number | null;
  /** Why it is ungraded; one of our own messages. */
  problem: string | null;
  /** What is sent instead of the reply; null when the reply is sent. */
  replacement: string | null;
  /** The request for the grade and its usage; null if there was none. */
  question: Pick<ModelRequest, 'system' | 'messages'> | null;
  usage: Usage | null;
}

export interface KeptReply {
  bot: BotRow;
  /** As it is sent. */
  message: NewMessage;
  /** Undefined where replies are not graded. */
  grade: Grade | undefined;
  /** The model's text, if something else is sent instead. */
  refusedText: string | null;
  /** What the model could answer from, besides the results of its calls. */
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
