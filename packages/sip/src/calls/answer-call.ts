import { dialogOfRequest } from '../dialog.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';
import { calledNumber, callerNumber } from './caller-numbers.ts';
import { agreementOf, createNegotiation } from './negotiation.ts';
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
