import { randomInt } from 'node:crypto';
import type { MediaSession } from '../media/media-session.ts';
import { headerOf, type ReceivedRequest, type SipHeader } from '../message/sip-message.ts';
import {
  type Agreement,
  agree,
  agreeToAnswer,
  type SrtpPolicy,
  writeAnswer,
  writeOffer,
} from '../sdp/negotiate.ts';
import { parseSdp } from '../sdp/sdp.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';
import { sdpType } from './user-agent.ts';

export type Negotiation = ReturnType<typeof createNegotiation>;

export interface NegotiationHooks {
  /** More headers of our 200 to this request. */
  headersOf(request: ReceivedRequest): SipHeader[];
  onUnacknowledged(): void;
}

export interface NegotiationOptions {
  media: MediaSession;
  address: string;
  srtp: SrtpPolicy;
  /** Headers of our 200. */
  headers: SipHeader[];
}

/** Negotiates the audio of a call, and changes of it during the call: put on hold, moved to another address. */
export function createNegotiation({ media, address, srtp, headers }: NegotiationOptions) {
  const sessionId = randomInt(1, 0x7fff_ffff);
  let version = 0;
  let pending: ServerTransaction | undefined;
  let isOfferOpen = false;
  let isOffering = false;
  let hooks: NegotiationHooks | undefined;

  function local() {
    version += 1;
    return {
      address,
      port: media.port,
      sessionId,
      version,
      srtp,
      format: media.fixedFormat,
      srtpKey: media.srtpKey,
    };
  }

  function accept(transaction: ServerTransaction, body: Buffer | undefined): void {
    if (transaction.request.method === 'INVITE') {
      pending = transaction;
      transaction.onUnacknowledged(() => hooks?.onUnacknowledged());
    }
    const own = [...headers, ...(hooks?.headersOf(transaction.request) ?? [])];
    transaction.respond(200, { headers: body ? [...own, sdpType] : own, ...(body && { body }) });
  }

  return {
    /** The call has begun; set once. */
    attach(next: NegotiationHooks): void {
      hooks = next;
    },
    /** What we offer. Until it is answered or withdrawn, the other side can offer nothing. */
    offer(): Buffer {
      isOffering = true;
      return writeOffer(local());
    },
    withdraw(): void {
      isOffering = false;
    },
    /** Applies the other side's answer to our offer; false if we cannot accept it. */
    take(answer: Buffer): boolean {
      isOffering = false;
      const description = parseSdp(answer);
      const agreement = description && agreeToAnswer(description, srtp, media.fixedFormat);
      if (agreement) media.use(agreement);
      return agreement !== undefined;
    },
    /** Answers an INVITE or an UPDATE with 200, or with a refusal. */
    answer(transaction: ServerTransaction): void {
      const { request } = transaction;
      if (pending || isOffering) return transaction.respond(491);
      if (request.body.length === 0) {
        if (request.method === 'UPDATE') return accept(transaction, undefined);
        isOfferOpen = true;
        return accept(transaction, writeOffer(local()));
      }
      if (isBodyRefused(transaction)) return;
      const offer = parseSdp(request.body);
      const agreement = offer && agree(offer, srtp, media.fixedFormat);
      if (!offer || !agreement) return transaction.respond(488);
      media.use(agreement);
      accept(transaction, writeAnswer(local(), offer, agreement));
    },
    /** Our 200 was acknowledged; false if we cannot accept the answer in that ACK. */
    acknowledged(request: ReceivedRequest): boolean {
      // A repeated ACK of an earlier INVITE does not acknowledge this one.
      if (pending && pending.request.cseq.number !== request.cseq.number) return true;
      pending?.acknowledged();
      pending = undefined;
      if (!isOfferOpen) return true;
      isOfferOpen = false;
      return this.take(request.body);
    },
  };
}

/** Refuses a request whose body is not a description of media. */
export function isBodyRefused({ request, respond }: ServerTransaction): boolean {
  if (request.body.length === 0 || hasSdp(request)) return false;
  respond(415, { headers: [{ name: 'accept', value: sdpType.value }] });
  return true;
}

function hasSdp(request: ReceivedRequest): boolean {
  return /^application\/sdp\b/i.test(headerOf(request, 'content-type') ?? '');
}

/** What an INVITE offers us; `later` if it leaves the offer to us. */
export function agreementOf(request: ReceivedRequest, srtp: SrtpPolicy): Agreement | 'later' | undefined {
  if (request.body.length === 0) return 'later';
  const offer = hasSdp(request) ? parseSdp(request.body) : undefined;
  return offer && agree(offer, srtp);
}
