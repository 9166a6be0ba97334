import type { KnownConversation } from '../../conversations/conversations.service.ts';

/** The result of trying to admit a turn. Unless it was admitted, nothing was written. */
export type Admission = AdmittedTurn | NotAdmitted;

export interface AdmittedTurn {
  kind: 'admitted';
  turnId: string;
  conversationId: string;
  /** The number of its first event. */
  firstEvent: number;
  /** After the commit: starts the turn on this node, unless it is handed off and thus over. If the node dies before, the sweep takes the turn up. */
  begin(): void;
}

export type NotAdmitted =
  /** The conversation has a turn that is not over. */
  | { kind: 'busy' }
  /** The user has this conversation with the bot already, and a new one was wanted only if there is none. */
  | { kind: 'elsewhere'; conversation: KnownConversation }
  /** The conversation was deleted since it was read. */
  | { kind: 'deleted' }
  /** The bot was changed or deleted since it was read. */
  | { kind: 'stale_bot' }
  /** The workspace has a limited balance: the turn must be admitted in a transaction, which reserves money. */
  | { kind: 'needs_reservation' };
