import { createHash } from 'node:crypto';
import type { Exchange, Expectation, IncomingDecision, Line, Refusal } from '../../call-transport.ts';
import { dialogOfRequest } from '../dialog.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';
import { calledNumber, callerNumber } from './caller-numbers.ts';
import { agreementOf, createNegotiation } from './negotiation.ts';
import type { Reports } from './reports.ts';
import { createSipCall, type SipCall } from './sip-call.ts';
import { createSipLine } from './sip-line.ts';
import { createTransfer } from './transfer.ts';
import { allow, contactOf, supported, type UserAgent } from './user-agent.ts';

export interface AnswerCall {
  agent: UserAgent;
  exchange: Exchange;
  reports: Reports;
}

/**
 * Busy rather than unavailable where no more calls are possible: after a 503 some trunks send us no calls for a while. A second
 * branch is refused like the same request on two ways (RFC 3261, section 8.2.2.2); a 6xx would end the first one as well.
 */
const refusals = { unknown_number: 404, busy: 486, unavailable: 503, taken: 482 } as const;

/** More than real callers are at once between our answer and its acknowledgement, which takes them a moment. */
const maxUnconfirmed = 100;

/**
 * Somebody calls us, or has forged that: only their acknowledgement shows that they get our answers. Until then they have nothing but
 * ports, for a few seconds and as long as nobody else needs them.
 */
export async function answerCall(
  { agent, exchange, reports }: AnswerCall,
  invite: ServerTransaction,
): Promise<void> {
  const { request, source } = invite;
  invite.respond(100);
  const to = calledNumber(request, agent.username);
  if (to === undefined) return invite.respond(404);
  if (!agreementOf(request, agent.srtp)) return invite.respond(488);
  await agent.findAddress(source);
  // Peers write what they want there; its digest is short and can be stored.
  const networkBranch = createHash('sha256').update(invite.key).digest('base64url');
  const from = callerNumber(request);
  const incoming = { transport: 'sip', networkId: request.callId, networkBranch, from, to } as const;
  const expected = await decide<Expectation>(
    agent,
    () => exchange.expect(incoming),
    (late) => late.accept && late.release(),
  );
  if (!expected.accept) return invite.respond(refusals[expected.reason]);
  const { release } = expected;
  const media = invite.isAnswered ? undefined : await agent.openMedia();
  if (!media || invite.isAnswered) {
    media?.close();
    release();
    return invite.respond(486);
  }
  invite.respond(180, { headers: [contactOf(agent)] });
  const negotiation = createNegotiation({
    media,
    address: agent.address,
    srtp: agent.srtp,
    headers: [contactOf(agent), allow, supported],
  });
  const state = dialogOfRequest(request, invite.tag);
  const call = createSipCall({ agent, state, source, media, negotiation });
  const settled = awaitConfirmation(agent, call);
  const forget = call.onOver(() => {
    settled();
    invite.acknowledged();
    release();
  });
  call.onAcknowledged(() => {
    settled();
    forget();
    void connect(createSipLine(call, createTransfer({ agent, call, from: to })));
  });
  negotiation.answer(invite);

  async function connect(line: Line): Promise<void> {
    const decision = await decide<IncomingDecision>(
      agent,
      () => exchange.incoming(incoming),
      (late) => late.accept && reports.ended(late.callId, { cause: 'failed', detail: 'Decided too late.' }),
    );
    release();
    if (!decision.accept) return line.hangUp();
    call.endAfter(decision.maxSeconds);
    reports.connected(decision.callId, line);
  }
}

/** Nobody can forge a call over a connection. Returns what to call when the caller is known, or the call is over. */
function awaitConfirmation({ peers, unconfirmed, timers, warnHourly }: UserAgent, call: SipCall): () => void {
  if (peers.hasConnection) return () => undefined;
  const [oldest] = unconfirmed;
  if (unconfirmed.size >= maxUnconfirmed) oldest?.hangUp();
  unconfirmed.add(call);
  const timer = setTimeout(() => {
    const { peerAddress: address } = call;
    warnHourly(address, { address }, 'A call was given up, because our answer to it was not acknowledged.');
    call.hangUp();
  }, timers.confirmation);
  return () => {
    clearTimeout(timer);
    unconfirmed.delete(call);
  };
}

/** A decision that comes too late is answered as if the call had failed. */
async function decide<Decision extends IncomingDecision | Expectation>(
  { timers, log }: UserAgent,
  ask: () => Promise<Decision>,
  undo: (late: Decision) => void,
): Promise<Decision | Refusal> {
  const { promise, resolve } = Promise.withResolvers<Decision | Refusal>();
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    resolve({ accept: false, reason: 'unavailable' });
  }, timers.decision);
  void waitFor();
  return promise;

  async function waitFor(): Promise<void> {
    try {
      const decision = await ask();
      if (isLate) undo(decision);
      else resolve(decision);
    } catch (error) {
      log.error({ err: error }, 'An incoming call could not be decided about.');
      resolve({ accept: false, reason: 'unavailable' });
    } finally {
      clearTimeout(limit);
    }
  }
}
