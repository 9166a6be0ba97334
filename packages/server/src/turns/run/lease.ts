import type { Channel } from '@svc/contract/channels';
import type { TurnOptions } from '../tables.ts';

/** The right to advance a turn. Every write carries it; one that was taken over writes nothing. */
export interface TurnLease {
  turnId: string;
  workspaceId: string;
  conversationId: string;
  botId: string;
  /** Of its conversation. */
  channel: Channel;
  nodeId: string;
  fence: number;
  /** The workspace has a limited balance: money is set aside before each step. */
  isMetered: boolean;
  /** What came with the turn: whoever takes it over goes by the same. */
  options: TurnOptions;
}

/** Another node has the turn now, or it has ended: there is nothing left to do here. */
export class LeaseLost extends Error {
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

/** The node goes away: the turn is left as it is written, for another node. */
export class HandedOver extends Error {
  constructor() {
    super('The node is stopping.');
    this.name = 'HandedOver';
  }
}
