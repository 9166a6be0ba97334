import { type KnownCost, knownCost, noCost, sumCosts } from '../billing/billing.service.ts';
import type { BotRow } from '../bots/bots.service.ts';
import type { NewMessage } from '../conversations/conversations.service.ts';
import type { NanoUsd } from '../lib/money.ts';
import { addUsage, noUsage } from '../models/add-usage.ts';
import type { Usage } from '../models/model.ts';
import type { ModelImage } from '../models/model-image.ts';
import type { KnownPassage } from '../models/passages.ts';
import type { RunRow } from '../runs/runs.service.ts';
import type { BoundFunction } from '../tools/tools.service.ts';
import type { OpenToolCall } from './tool-calls/tool-call.ts';
import type { UsageEntry } from './write/step-changes.ts';

/** A message with its place in the conversation. */
export type PlacedMessage = NewMessage & {
  sequence: number;
  /** A user's message that does not begin a turn: it sends an agent back. */
  continues?: boolean;
  /** What the model reads of the files that a user has sent with it; read before the first reply of a lease. */
  attached?: string;
  /** What the model sees with a user's message or the result of a call, until the turn ends or continues on another node. */
  images?: readonly ModelImage[];
};

/** Whether a message begins a turn, unlike one that sends an agent back. */
export function beginsTurn({ role, continues }: PlacedMessage): boolean {
  return role === 'user' && !continues;
}

/** The stored state of a turn, read once per lease and then folded forward. */
export interface TurnState {
  bot: BotRow;
  /** Undefined in a chat. */
  run: RunRow | undefined;
  /** The summary of earlier messages; null if there are none. */
  summary: string | null;
  messages: PlacedMessage[];
  /** Steps written so far. */
  steps: number;
  /** Replies started for the next step; the last one is the current one. */
  replyIds: string[];
  /** Calls of the latest reply that have no outcome yet. */
  calls: OpenToolCall[];
  /** The functions of the bot's tools; read before the first reply of a lease. */
  functions: BoundFunction[] | undefined;
  /** What the model is told of the projects on machines; read with the functions. */
  places?: string | undefined;
  /** Passages about the user's message, best first; searched before the first reply of a lease. */
  passages: KnownPassage[] | undefined;
  /** Of all model calls of this turn so far. */
  usage: Usage;
  cost: KnownCost;
  ended: boolean;
  /** The turn waits for a person. */
  paused: boolean;
}

/** The messages of a conversation, or those after a summary. */
export type History = Pick<TurnState, 'summary' | 'messages'>;

/** The state of a turn that has only its message. */
export function newState(
  bot: BotRow,
  { summary, messages }: History,
  replyId: string,
  run?: RunRow,
): TurnState {
  return {
    bot,
    run,
    summary,
    messages,
    calls: [],
    functions: undefined,
    passages: undefined,
    steps: 0,
    replyIds: [replyId],
    usage: noUsage,
    cost: noCost,
    ended: false,
    paused: false,
  };
}

export function withSpent(state: TurnState, spent: readonly UsageEntry[]): TurnState {
  return {
    ...state,
    usage: spent.reduce((sum, { usage }) => addUsage(sum, usage), state.usage),
    cost: sumCosts([state.cost, ...spent.map(({ model, cost }) => knownCost(model, cost))]),
  };
}

/** The cost of everything whose price is known. */
export function costOfAll(spent: readonly UsageEntry[]): NanoUsd {
  return spent.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
}

export function isTraced({ bot }: Pick<TurnState, 'bot'>): boolean {
  return bot.settings.enable_agent_tracing === true;
}
