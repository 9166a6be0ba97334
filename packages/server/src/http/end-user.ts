import type { Channel } from '@svc/contract/channels';
import type { AppError } from '../lib/app-error.ts';
import type { NanoUsd } from '../lib/money.ts';
import type { StoredLimits } from '../limits/workspace-limits.ts';

/** What a person's messages may amount to. */
export interface EndUserCaps {
  messagesPerHour: number | null;
  /** In USD, within 24 hours. */
  usdPerDay: string | null;
}

/** The person that a valid end-user token stands for. It can do nothing but talk to bots. */
export interface EndUserPrincipal {
  workspaceId: string;
  externalUserId: string;
  /** The only bot it can talk to; null for every bot of the workspace. */
  botId: string | null;
  /** Of the conversations it can begin and continue. */
  channel: Channel;
  /** The account key or widget key that issued the token. */
  issuerId: string;
  expiresAt: Date;
  caps: EndUserCaps;
  /**
   * When this person's tokens had last been revoked as the token was issued, in milliseconds since 1970; 0 if never. A later revocation
   * ends the token, whatever the clocks of the nodes say.
   */
  lastRevoked: number;
  /** Identifies the secret with which a site has signed the person's id; undefined if none has. */
  proof?: string | undefined;
  /** The limits set for the workspace. */
  limits: StoredLimits;
}

/** A person whose tokens may have been revoked after one was issued. */
export type RevocablePerson = Pick<EndUserPrincipal, 'workspaceId' | 'externalUserId' | 'lastRevoked'>;

/** The widget key of a request from a page that may use it. */
export interface WidgetPrincipal {
  keyId: string;
  workspaceId: string;
  botId: string;
  /** The host of the page, with its port if it has one. */
  host: string;
  /** Identifies the secret with which the site signs the ids of its users now; null if it has none. */
  identityProof(): string | null;
  limits: StoredLimits;
}

/** Decides whether a page may use a widget key, before anything else is done for the request. */
export interface WidgetDoor {
  /**
   * Throws UNAUTHORIZED for an unknown, revoked or expired key and FORBIDDEN for a page of another domain. Any other AppError means that
   * the page may use the key, and may read the error. `origin` is undefined on requests of the service's own pages.
   */
  enter(request: {
    key: string;
    origin: string | undefined;
    isSameOrigin: boolean;
  }): Promise<WidgetPrincipal>;
  /** Calls back when anything about a key may have changed, until the returned function is called. */
  onChanged(keyId: string, callback: () => void): () => void;
}

/** The end user whose messages and calls are paid for. */
export type Spender = Pick<EndUserPrincipal, 'workspaceId' | 'externalUserId' | 'caps'>;

/** The end user whose message is counted. */
export interface Sender extends Spender {
  /** The widget key that the message comes through, which has a limit for all of its visitors together. */
  widgetKey?: { id: string; messagesPerHour: number };
  /** The Idempotency-Key of the request. */
  idempotencyKey?: string | undefined;
}

/** Sends a message. `refusal` is why the bot must not be asked: it is thrown unless the conversation waits for a person. */
export type SendCounted<Result> = (refusal: AppError | undefined) => Promise<Result>;

/** Counts the messages of end users and what they cost. */
export interface MessageCaps {
  /**
   * Throws RATE_LIMITED if this process knows that the sender is over a limit. It reads nothing, so that a flood costs little, and
   * admits repeats of messages that were sent.
   */
  refuseKnown(sender: Sender): void;
  /** Counts a message and sends it; throws RATE_LIMITED if the sender is over a limit. A refused message is not counted. */
  during<Result>(sender: Sender, send: SendCounted<Result>): Promise<Result>;
  /** Whether the sender may cost more, given what something still running has cost, which is not in their usage yet. */
  mayCostMore(sender: Spender, unrecorded: NanoUsd): Promise<boolean>;
}
