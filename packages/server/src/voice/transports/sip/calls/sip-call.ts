import type { LineEnd, LineEvents } from '../../call-transport.ts';
import { createDialog, type DialogState } from '../dialog.ts';
import type { MediaSession } from '../media/media-session.ts';
import type { Peer, ReceivedRequest, ReceivedResponse, SipRequest } from '../message/sip-message.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';
import { infoDigit } from './info-digit.ts';
import type { Negotiation } from './negotiation.ts';
import { createReferral, type ReferralOutcome } from './referral.ts';
import { createSessionTimer } from './session-timer.ts';
import { allow, type UserAgent } from './user-agent.ts';
import { watchSilence } from './watch-silence.ts';

/** A call that was answered, by us or by the other side. */
export interface SipCall {
  readonly peerAddress: string;
  readonly media: MediaSession;
  readonly isOver: boolean;
  /** Reports to these from now on. */
  listen(events: LineEvents): void;
  /** A request of the other side about this call. */
  receive(transaction: ServerTransaction): void;
  /** Acknowledges the 2xx to our INVITE. */
  acknowledge(invite: SipRequest): void;
  /** The first 2xx to our INVITE, which only somebody who got it can send. */
  confirm(response: ReceivedResponse): void;
  /** Called when the other side has acknowledged our 2xx. */
  onAcknowledged(handler: () => void): void;
  refer(to: string): Promise<ReferralOutcome>;
  /** Called when the call ends, besides the events. Returns a function that takes it back. */
  onOver(handler: () => void): () => void;
  /** Ends after this time, in case that nobody else does. */
  endAfter(seconds: number): void;
  hangUp(end?: LineEnd): void;
}

export interface SipCallOptions {
  agent: UserAgent;
  state: DialogState;
  source: Peer;
  media: MediaSession;
  negotiation: Negotiation;
}

export function createSipCall({ agent, state, source, media, negotiation }: SipCallOptions): SipCall {
  const { send, transmit, peers, timers } = agent;
  const dialog = createDialog(state, source, { send, transmit, peers });
  const referral = createReferral(dialog, agent);
  const onLost = (detail: string) => hangUp({ cause: 'failed', detail });
  const session = createSessionTimer({ agent, dialog, negotiation, onLost });
  negotiation.attach({
    headersOf: session.accept,
    onUnacknowledged: () => onLost('Our answer was not acknowledged.'),
  });
  let limit: NodeJS.Timeout | undefined;
  let events: LineEvents | undefined;
  const overHandlers = new Set<() => void>();
  let isOver = false;
  let onAcknowledged: (() => void) | undefined;
  let stopWatching: (() => void) | undefined;

  /** The other side is there. Until then it may be anybody who has forged a call. */
  function confirm(): void {
    dialog.confirm();
    media.confirm();
    stopWatching ??= watchSilence({ media, dialog, timers, onLost });
  }

  function end(how: LineEnd): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(limit);
    stopWatching?.();
    session.close();
    agent.calls.delete(dialog.key);
    referral.close();
    media.close();
    for (const handler of overHandlers) handler();
    events?.onEnd(how);
  }

  function hangUp(how: LineEnd = { cause: 'local_hangup' }): void {
    if (isOver) return;
    dialog.request('BYE', {}, { onFinal: () => undefined });
    end(how);
  }

  function acknowledged(request: ReceivedRequest): void {
    if (!negotiation.acknowledged(request)) {
      return hangUp({ cause: 'failed', detail: 'The other side has no audio that we understand.' });
    }
    confirm();
    onAcknowledged?.();
    onAcknowledged = undefined;
  }

  function pressed(request: ReceivedRequest): void {
    const digit = infoDigit(request);
    // Some phones report a key in both ways.
    if (digit !== undefined && !media.hasDigits) events?.onDigit(digit);
  }

  function handle(transaction: ServerTransaction): void {
    const { request } = transaction;
    switch (request.method) {
      case 'ACK':
        return acknowledged(request);
      case 'BYE':
        transaction.respond(200);
        return end({ cause: referral.hungUp() ? 'transferred' : 'remote_hangup' });
      case 'INVITE':
      case 'UPDATE':
        return negotiation.answer(transaction);
      case 'INFO':
        transaction.respond(200);
        return pressed(request);
      case 'NOTIFY':
        transaction.respond(200);
        return referral.receive(request);
      case 'OPTIONS':
        return transaction.respond(200, { headers: [allow] });
      default:
        return transaction.respond(405, { headers: [allow] });
    }
  }

  const call: SipCall = {
    get peerAddress() {
      return dialog.destination.address;
    },
    media,
    get isOver() {
      return isOver;
    },
    listen(next) {
      events = next;
      media.listen(next);
    },
    receive(transaction) {
      if (dialog.accepts(transaction.request)) handle(transaction);
      else if (transaction.request.method !== 'ACK') transaction.respond(481);
    },
    acknowledge: (invite) => dialog.acknowledge(invite),
    confirm(response) {
      confirm();
      session.take(response);
    },
    onAcknowledged: (handler) => {
      onAcknowledged = handler;
    },
    refer: (to) => referral.refer(to),
    onOver(handler) {
      overHandlers.add(handler);
      return () => overHandlers.delete(handler);
    },
    endAfter(seconds) {
      if (!isOver) limit = setTimeout(() => hangUp({ cause: 'time_limit' }), seconds * 1_000);
    },
    hangUp,
  };
  agent.calls.set(dialog.key, call);
  return call;
}
