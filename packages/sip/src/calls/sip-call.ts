import { createDialog, type Dialog, type DialogState } from '../dialog.ts';
import type { MediaEvents, MediaSession } from '../media/media-session.ts';
import {
  headerOf,
  type Peer,
  type ReceivedRequest,
  type ReceivedResponse,
  type SipRequest,
} from '../message/sip-message.ts';
import type { SipTimers } from '../sip-timers.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';
import type { SipCallEnd } from './dial-outcome.ts';
import type { Negotiation } from './negotiation.ts';
import { createReferral, type ReferralOutcome } from './referral.ts';
import { createSessionTimer } from './session-timer.ts';
import { allow, refusalOf, type UserAgent } from './user-agent.ts';

export interface SipCallEvents extends MediaEvents {
  /** Called once. */
  onEnd(end: SipCallEnd): void;
}

export type SipCall = ReturnType<typeof createSipCall>;

/** A call that was answered, by us or by the other side. */
export function createSipCall(options: {
  agent: UserAgent;
  state: DialogState;
  source: Peer;
  media: MediaSession;
  negotiation: Negotiation;
}) {
  const { agent, state, source, media, negotiation } = options;
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
  let events: SipCallEvents | undefined;
  const overHandlers = new Set<() => void>();
  let isOver = false;
  let onAcknowledged: (() => void) | undefined;
  let stopWatching: (() => void) | undefined;

  /** The other side receives what we send. Until then the call may be forged. */
  function confirm(): void {
    dialog.confirm();
    media.confirm();
    stopWatching ??= watchSilence({ media, dialog, timers, onLost });
  }

  function end(how: SipCallEnd): void {
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

  function hangUp(how: SipCallEnd = { cause: 'local_hangup' }): void {
    if (isOver) return;
    dialog.request('BYE', {}, { onFinal: () => undefined });
    end(how);
  }

  function acknowledged(request: ReceivedRequest): void {
    if (!negotiation.acknowledged(request)) {
      return hangUp({ cause: 'failed', detail: 'The other side has no audio encoding that we support.' });
    }
    confirm();
    onAcknowledged?.();
    onAcknowledged = undefined;
  }

  function pressed(request: ReceivedRequest): void {
    const digit = infoDigit(request);
    // Some phones report a key both by INFO and in the audio stream.
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
        return transaction.respond(refusalOf(request.method), { headers: [allow] });
    }
  }

  const call = {
    get peerAddress(): string {
      return dialog.destination.address;
    },
    media,
    /** For a process that has to end the call in place of this one. */
    get stored() {
      return dialog.stored;
    },
    get isOver(): boolean {
      return isOver;
    },
    /** Replaces the events that it reports to. */
    listen(next: SipCallEvents): void {
      events = next;
      media.listen(next);
    },
    /** A request of the other side about this call. */
    receive(transaction: ServerTransaction): void {
      if (dialog.accepts(transaction.request)) handle(transaction);
      else if (transaction.request.method !== 'ACK') transaction.respond(481);
    },
    /** Acknowledges the 2xx to our INVITE. */
    acknowledge: (invite: SipRequest) => dialog.acknowledge(invite),
    /** The first 2xx to our INVITE, which proves that the INVITE has arrived. */
    confirm(response: ReceivedResponse): void {
      confirm();
      session.take(response);
    },
    /** Called when the other side has acknowledged our 2xx. */
    onAcknowledged: (handler: () => void): void => {
      onAcknowledged = handler;
    },
    refer: (to: string): Promise<ReferralOutcome> => referral.refer(to),
    /** Called when the call ends, besides the events. Returns a function that removes the handler. */
    onOver(handler: () => void): () => void {
      overHandlers.add(handler);
      return () => overHandlers.delete(handler);
    },
    /** Ends the call after this time. */
    endAfter(seconds: number): void {
      if (!isOver) limit = setTimeout(() => hangUp({ cause: 'time_limit' }), seconds * 1_000);
    },
    hangUp,
  };
  agent.calls.set(dialog.key, call);
  return call;
}

/** Phones may send nothing during silence, so a silent one is first asked whether it is still there. */
function watchSilence(options: {
  media: Pick<MediaSession, 'silentMs'>;
  dialog: Pick<Dialog, 'request'>;
  timers: Pick<SipTimers, 'mediaSilence' | 'check'>;
  onLost(detail: string): void;
}): () => void {
  const { media, dialog, timers, onLost } = options;
  let isStopped = false;
  let timer = setTimeout(look, timers.mediaSilence);

  function wait(milliseconds: number): void {
    if (!isStopped) timer = setTimeout(look, milliseconds);
  }

  function look(): void {
    const left = timers.mediaSilence - media.silentMs;
    if (left > 0) return wait(left);
    dialog.request(
      'OPTIONS',
      { limitMs: timers.check },
      {
        onFinal(response) {
          if (isStopped) return;
          const isGone = !response || response.status === 481 || response.status === 408;
          if (isGone) onLost('The other side is gone: it sends no audio and does not answer.');
          else wait(timers.mediaSilence);
        },
      },
    );
  }

  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** The key that an INFO reports, in either of the two formats in use. */
export function infoDigit(request: Pick<ReceivedRequest, 'headers' | 'body'>): string | undefined {
  const type = (headerOf(request, 'content-type') ?? '').toLowerCase().split(';')[0]?.trim();
  const text = request.body.toString('utf8', 0, 256);
  if (type === 'application/dtmf') return keyOf(text.trim());
  if (type !== 'application/dtmf-relay') return undefined;
  return keyOf(/^\s*Signal\s*=\s*(\S+)/im.exec(text)?.[1] ?? '');
}

function keyOf(text: string): string | undefined {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : undefined;
  if (number !== undefined) return '0123456789*#ABCD'[number];
  return /^[*#A-D]$/i.test(text) ? text.toUpperCase() : undefined;
}
