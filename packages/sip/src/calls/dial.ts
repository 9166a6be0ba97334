import { randomBytes } from 'node:crypto';
import { createDialog, dialogOfResponse } from '../dialog.ts';
import type { MediaSession } from '../media/media-session.ts';
import type { Peer, ReceivedResponse, SipRequest } from '../message/sip-message.ts';
import type { SentRequest } from '../send-request.ts';
import { type DialFailure, type DialOutcome, dialOutcome } from './dial-outcome.ts';
import { createNegotiation, type Negotiation } from './negotiation.ts';
import { createSipCall, type SipCall } from './sip-call.ts';
import { allow, contactOf, sdpType, supported, trunkUri, type UserAgent } from './user-agent.ts';

export interface DialRequest {
  from: string;
  to: string;
  maxSeconds?: number;
  ringMs: number;
  /** Closed if the call is not answered. */
  media: MediaSession;
}

export interface DialEvents {
  /** The trunk has reacted: 100, or 180 and 183 when the phone rings. */
  onProgress(status: number): void;
  onAnswered(call: SipCall): void;
  onFailed(outcome: DialOutcome): void;
}

export type Dialing = ReturnType<typeof dial>;

/** Calls a number through the trunk. Reports either that it was answered or that it failed. */
export function dial(
  agent: UserAgent,
  { from, to, maxSeconds, ringMs, media }: DialRequest,
  events: DialEvents,
) {
  const { timers, peers } = agent;
  const ring = setTimeout(() => giveUp('rang_too_long'), ringMs);
  let givenUp: 'cancelled' | 'rang_too_long' | undefined;
  let sent: SentRequest | undefined;
  let answered: { call: SipCall; tag: string } | undefined;
  let isOver = false;

  peers.trunk().then(prepare, (error: unknown) => notReached('trunk_not_found', error));

  function prepare(trunk: Peer): Promise<void> {
    return agent.refreshAddress(trunk).then(
      () => invite(trunk),
      (error: unknown) => notReached('no_route', error),
    );
  }

  function notReached(reason: 'trunk_not_found' | 'no_route', error: unknown): void {
    agent.log.warn({ err: error }, 'A call could not be sent to the trunk.');
    fail({ reason });
  }

  function fail(failure: DialFailure): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(ring);
    media.close();
    events.onFailed(dialOutcome(givenUp ? { reason: givenUp } : failure));
  }

  function giveUp(reason: 'cancelled' | 'rang_too_long'): void {
    if (isOver) return;
    givenUp ??= reason;
    sent?.cancel();
  }

  function invite(trunk: Peer): void {
    if (givenUp) return fail({ reason: givenUp });
    const headers = [contactOf(agent), allow, supported];
    const negotiation = createNegotiation({
      media,
      address: agent.address,
      srtp: agent.settings.srtp,
      headers,
    });
    let cseq = 0;
    sent = agent.send(
      {
        method: 'INVITE',
        uri: trunkUri(agent, to),
        destination: trunk,
        from: `<${trunkUri(agent, from)}>;tag=${randomBytes(8).toString('hex')}`,
        to: `<${trunkUri(agent, to)}>`,
        callId: randomBytes(16).toString('hex'),
        nextCSeq: () => (cseq += 1),
        headers: [...headers, sdpType],
        body: negotiation.offer(),
        limitMs: timers.trunkAnswer,
      },
      {
        onProvisional: ({ status }) => {
          if (!isOver) events.onProgress(status);
        },
        onFinal(response, request) {
          if (!response) {
            peers.distrust(trunk);
            fail({ reason: 'no_response' });
          } else if (response.status >= 300) {
            fail({ reason: 'refused', status: response.status, phrase: response.reason });
          } else accepted(negotiation, request, response, trunk);
        },
      },
    );
  }

  /** Every 2xx is acknowledged. One that comes too late, or from a second phone, is followed by BYE. */
  function accepted(
    negotiation: Negotiation,
    request: SipRequest,
    response: ReceivedResponse,
    source: Peer,
  ): void {
    const tag = response.to.parameters.get('tag') ?? '';
    if (answered?.tag === tag) return answered.call.acknowledge(request);
    if (isOver || givenUp || !isTaken(negotiation, response)) {
      decline(request, response, source);
      return fail({ reason: 'no_common_audio' });
    }
    isOver = true;
    clearTimeout(ring);
    const state = dialogOfResponse(request, response);
    const call = createSipCall({ agent, state, source, media, negotiation });
    if (maxSeconds !== undefined) call.endAfter(maxSeconds);
    answered = { call, tag };
    call.confirm(response);
    call.acknowledge(request);
    events.onAnswered(call);
  }

  /** An answer that cannot be handled must not leave the call open. */
  function isTaken(negotiation: Negotiation, { body }: ReceivedResponse): boolean {
    try {
      return negotiation.take(body);
    } catch (error) {
      agent.log.error({ err: error }, 'The answer to a call could not be handled.');
      return false;
    }
  }

  function decline(request: SipRequest, response: ReceivedResponse, source: Peer): void {
    const { send, transmit } = agent;
    const state = dialogOfResponse(request, response);
    const dialog = createDialog(state, source, { send, transmit, peers });
    dialog.confirm();
    dialog.acknowledge(request);
    dialog.request('BYE', {}, { onFinal: () => undefined });
  }

  return { cancel: () => giveUp('cancelled') };
}
