import type { Channel } from '@svc/contract/channels';
import { ContinuesElsewhere } from '../../lib/continues-elsewhere.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { TurnOptions } from '../turns.tables.ts';

/** The right to advance a turn. Every write carries it, and writes nothing once another node has the turn. */
export interface TurnLease {
  turnId: string;
  workspaceId: string;
  conversationId: string;
  botId: string;
  /** Of its conversation. */
  channel: Channel;
  nodeId: string;
  fence: number;
  /** The workspace has a limited balance: money is reserved before each step. */
  isMetered: boolean;
  /** Stored with the turn, so that a node that takes it over uses the same. */
  options: TurnOptions;
}

/** What log lines about a turn have, so that those of all nodes can be found by any of the three. */
export function logIds({ turnId, options }: Pick<TurnLease, 'turnId' | 'options'>) {
  const { request_id: requestId, trace_parent: traceParent } = options;
  return withoutUndefined({
    turn_id: turnId,
    request_id: requestId,
    trace_id: traceParent?.split('-')[1],
  });
}

/** Another node has the turn now, or it has ended: there is nothing left to do here. */
export class LeaseLost extends ContinuesElsewhere {
  constructor() {
    super('The lease on the turn was lost.');
    this.name = 'LeaseLost';
  }
}

/** Why a running turn was aborted from outside. */
export class StopRequested extends Error {
  readonly by: string;

  constructor(by: string) {
    super('The turn was stopped.');
    this.name = 'StopRequested';
    this.by = by;
  }
}

/** The node is stopping: the turn stays as it is stored, for another node. */
export class HandedOver extends ContinuesElsewhere {
  constructor() {
    super('The node is stopping.');
    this.name = 'HandedOver';
  }
}
