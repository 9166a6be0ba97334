import type { Model } from '../models/model.ts';

/** Reports turns to an observability system. Never makes them fail. */
export interface Telemetry {
  /** Runs the work as one span; spans recorded under the turn's id meanwhile become its children. */
  turn<Result>(turn: ObservedTurn, work: () => Promise<Result>): Promise<Result>;
  /** The model with every reply recorded; the same object without telemetry. */
  modelOf(turnId: string, model: Model): Model;
  /** Runs one tool call as a child span of its turn. */
  toolCall<Result>(turnId: string, call: ObservedToolCall, work: () => Promise<Result>): Promise<Result>;
  /** Delivers what is left, within two seconds. */
  stop(): Promise<void>;
}

export interface ObservedTurn {
  turnId: string;
  conversationId: string;
  botId: string;
  botName: string;
  /** A turn that it aborts was stopped and has not failed. */
  signal: AbortSignal;
}

export interface ObservedToolCall {
  id: string;
  name: string;
  /** One of the tool types of the catalog. */
  toolType: string;
  signal: AbortSignal;
}

export const noTelemetry: Telemetry = {
  turn: (_turn, work) => work(),
  modelOf: (_turnId, model) => model,
  toolCall: (_turnId, _call, work) => work(),
  stop: () => Promise.resolve(),
};
