import type { Model } from '../models/model.ts';

/** Reports turns to an observability system. Never makes them fail. */
export interface Telemetry {
  /** Records that a turn is accepted. Whatever node runs it continues the trace. */
  accept(turn: AcceptedTurn): AcceptingTurn;
  /** Runs the work as one span; spans recorded under the turn's id meanwhile become its children. */
  turn<Result>(turn: ObservedTurn, work: () => Promise<Result>): Promise<Result>;
  /** The model with every reply recorded; the same object without telemetry. */
  modelOf(turnId: string, model: Model): Model;
  /** Runs one tool call as a child span of its turn. */
  toolCall<Result>(
    turnId: string,
    call: ObservedToolCall,
    work: (traceParent: string | undefined) => Promise<Result>,
  ): Promise<Result>;
  /** Runs what another node has requested in a trace as a span of that trace. */
  nodeCommand<Result>(kind: string, traceParent: string, work: () => Promise<Result>): Promise<Result>;
  /** Delivers what is left, within two seconds. */
  stop(): Promise<void>;
}

/** A place in a trace, as in the header `traceparent`: what is recorded elsewhere continues there. */
type TraceParent = string;

export interface AcceptedTurn {
  turnId: string;
  requestId: string | undefined;
  /** Of the request, if it belongs to a trace. */
  traceParent: TraceParent | undefined;
}

export interface AcceptingTurn {
  /** Stored with the turn; undefined without telemetry. */
  readonly traceParent: TraceParent | undefined;
  /** What became of it. */
  end(outcome: string): void;
}

export interface ObservedTurn {
  turnId: string;
  requestId: string | undefined;
  /** What `accept` returned, perhaps on another node. */
  traceParent: TraceParent | undefined;
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

const notAccepting: AcceptingTurn = { traceParent: undefined, end: () => undefined };

export const noTelemetry: Telemetry = {
  accept: () => notAccepting,
  turn: (_turn, work) => work(),
  modelOf: (_turnId, model) => model,
  toolCall: (_turnId, _call, work) => work(undefined),
  nodeCommand: (_kind, _traceParent, work) => work(),
  stop: () => Promise.resolve(),
};
