import type { Model } from '../models/model.ts';

/** Tells an observability system what turns do. Never makes them fail. */
export interface Telemetry {
  /** Does the work as one span; what is recorded under the turn's id meanwhile becomes a child of it. */
  turn<Result>(turn: ObservedTurn, work: () => Promise<Result>): Promise<Result>;
  /** The model with every reply recorded; the very same model when nobody listens. */
  modelOf(turnId: string, model: Model): Model;
  /** Does the work of one tool call as a child of its turn. */
  toolCall<Result>(turnId: string, call: ObservedToolCall, work: () => Promise<Result>): Promise<Result>;
  /** Delivers what is left, within two seconds. */
  stop(): Promise<void>;
}

export interface ObservedTurn {
  turnId: string;
  conversationId: string;
  botId: string;
  botName: string;
  /** A turn that ends by it was stopped and has not failed. */
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
