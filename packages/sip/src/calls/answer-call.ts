import { dialogOfRequest } from '../dialog.ts';
import { parseNameAddress, parseUri, type SipUri } from '../message/sip-addresses.ts';
import { headerOf, listOf, type ReceivedRequest } from '../message/sip-message.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';
import { agreementOf, createNegotiation, isBodyRefused } from './negotiation.ts';
import { createSipCall, type SipCall } from './sip-call.ts';
import { createTransfer, type Transfer } from './transfer.ts';
import { allow, contactOf, supported, type UserAgent } from './user-agent.ts';

export interface IncomingSipCall {
  /** The Call-ID. */
  callId: string;
  /** Names this branch of a forked call. It is of any length, as peers choose it, and the same if the INVITE is sent again. */
  branch: string;
  /** Null if the number is withheld. */
  from: string | null;
  to: string;
}

/** Decides about a call, which may be forged: `refuse` is the status of the response. Must not reject. */
export type ExpectSipCall = (call: IncomingSipCall) => Promise<{ refuse: number } | ExpectedSipCall>;

/** Exactly one of the two is called. */
export interface ExpectedSipCall {
  /** The caller has acknowledged our answer, so the call is real. */
  onConfirmed(call: SipCall, transfer: Transfer): void;
  /** The call ended before that. */
  onGone(): void;
}

/** More than the real callers that wait at once for the acknowledgement of our answer, which takes a moment. */
const maxUnconfirmed = 100;

/**
 * Answers a call. Only the acknowledgement proves that the caller gets our answers: until then the call may be forged, and has
 * nothing but ports, for a few seconds and as long as no other call needs them.
 */
export async function answerCall(
  agent: UserAgent,
  invite: ServerTransaction,
  expect: ExpectSipCall,
): Promise<void> {
  const { request, source } = invite;
  const { srtp, username } = agent.settings;
  invite.respond(100);
  const to = calledNumber(request, username);
  if (to === undefined) return invite.respond(404);
  if (isBodyRefused(invite)) return;
  if (!agreementOf(request, srtp)) return invite.respond(488);
  await agent.findAddress(source);
  const expected = await expect({
    callId: request.callId,
    branch: invite.key,
    from: callerNumber(request),
    to,
  });
  if ('refuse' in expected) return invite.respond(expected.refuse);
  const media = invite.isAnswered ? undefined : await agent.openMedia();
  if (!media || invite.isAnswered) {
    media?.close();
    expected.onGone();
    return invite.respond(486);
  }
  invite.respond(180, { headers: [contactOf(agent)] });
  const headers = [contactOf(agent), allow, supported];
  const negotiation = createNegotiation({ media, address: agent.address, srtp, headers });
  const state = dialogOfRequest(request, invite.tag);
  const call = createSipCall({ agent, state, source, media, negotiation });
  const settled = awaitConfirmation(agent, call);
  const forget = call.onOver(() => {
    settled();
    invite.acknowledged();
    expected.onGone();
  });
  call.onAcknowledged(() => {
    settled();
    forget();
    expected.onConfirmed(call, createTransfer({ agent, call, from: to }));
  });
  negotiation.answer(invite);
}

/** Calls over a connection cannot be forged. Returns what to call when the call is confirmed or over. */
function awaitConfirmation({ peers, unconfirmed, timers, notices }: UserAgent, call: SipCall): () => void {
  if (peers.hasConnection) return () => undefined;
  const [oldest] = unconfirmed;
  if (unconfirmed.size >= maxUnconfirmed) oldest?.hangUp();
  unconfirmed.add(call);
  const timer = setTimeout(() => {
    notices.onUnacknowledged(call.peerAddress);
    call.hangUp();
  }, timers.confirmation);
  return () => {
    clearTimeout(timer);
    unconfirmed.delete(call);
  };
}

/** A longer user part is not a number. */
const maxLength = 64;

/** The number that is called. Trunks that we register with may call our account and put the number into another header. */
export function calledNumber(request: ReceivedRequest, username: string | undefined): string | undefined {
  const requested = numberOf(parseUri(request.uri));
  const called = addressNumber(headerOf(request, 'p-called-party-id'));
  const isNumber = (text: string | undefined) => text !== undefined && /^\+?\d{2,}$/.test(text);
  if (isNumber(requested) && requested !== username) return requested;
  return [called, numberOf(parseUri(request.to.uri)), requested].find(isNumber) ?? requested ?? called;
}

/** The number of the caller; null if that is withheld. */
export function callerNumber(request: ReceivedRequest): string | null {
  const privacy = headerOf(request, 'privacy') ?? '';
  if (/\b(id|user|full)\b/i.test(privacy)) return null;
  const asserted = listOf(request, 'p-asserted-identity').map(addressNumber);
  const number = asserted.find((value) => value !== undefined) ?? numberOf(parseUri(request.from.uri));
  return number ?? null;
}

function addressNumber(value: string | undefined): string | undefined {
  const address = parseNameAddress(value ?? '');
  return address && numberOf(parseUri(address.uri));
}

function numberOf(uri: SipUri | undefined): string | undefined {
  const user = uri?.user?.split(';')[0] ?? '';
  if (/^(anonymous|unavailable|restricted|unknown)?$/i.test(user)) return undefined;
  if (uri?.host === 'anonymous.invalid' || user.length > maxLength) return undefined;
  const digits = user.replaceAll(/[-.() ]/g, '');
  return /^\+?\d+$/.test(digits) ? digits : user;
}
