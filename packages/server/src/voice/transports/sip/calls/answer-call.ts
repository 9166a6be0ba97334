import { createHash } from 'node:crypto';
import type { Exchange, IncomingDecision } from '../../transport.ts';
import { dialogOfRequest } from '../dialog.ts';
import type { ServerTransaction } from '../transactions/server-transactions.ts';
import { calledNumber, callerNumber } from './caller-numbers.ts';
import { agreementOf, createNegotiation } from './negotiation.ts';
import type { Reports } from './reports.ts';
import { createSipCall } from './sip-call.ts';
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

/** Somebody calls us. Asks the exchange and answers, or refuses. */
export async function answerCall(
  { agent, exchange, reports }: AnswerCall,
  invite: ServerTransaction,
): Promise<void> {
  const { request } = invite;
  invite.respond(100);
  const to = calledNumber(request, agent.username);
  if (to === undefined) return invite.respond(404);
  if (!agreementOf(request, agent.srtp)) return invite.respond(488);
  await agent.findAddress(invite.source);
  const media = await agent.openMedia();
  if (!media) return invite.respond(486);
  const from = callerNumber(request);
  // Peers write what they want there; its digest is short and can be stored.
  const networkBranch = createHash('sha256').update(invite.key).digest('base64url');
  const decision = await decide(agent, reports, () =>
    exchange.incoming({ transport: 'sip', networkId: request.callId, networkBranch, from, to }),
  );
  if (!decision.accept || invite.isAnswered) {
    media.close();
    if (decision.accept) return reports.ended(decision.callId, { cause: 'remote_hangup' });
    return invite.respond(refusals[decision.reason]);
  }
  const { callId, maxSeconds } = decision;
  invite.respond(180, { headers: [contactOf(agent)] });
  const negotiation = createNegotiation({
    media,
    address: agent.address,
    srtp: agent.srtp,
    headers: [contactOf(agent), allow, supported],
  });
  const state = dialogOfRequest(request, invite.tag);
  const call = createSipCall({ agent, state, source: invite.source, media, negotiation, maxSeconds });
  // Until the other side is known to have heard of our answer there is nobody to talk to.
  call.listen({
    onAudio: () => undefined,
    onDigit: () => undefined,
    onEnd: (end) => reports.ended(callId, end),
  });
  call.onAcknowledged(() => {
    reports.connected(callId, createSipLine(call, createTransfer({ agent, call, from: to })));
  });
  negotiation.answer(invite);
}

/** A decision that comes too late is answered as if the call had failed. */
async function decide(
  { timers, log }: UserAgent,
  reports: Reports,
  ask: () => Promise<IncomingDecision>,
): Promise<IncomingDecision> {
  const { promise, resolve } = Promise.withResolvers<IncomingDecision>();
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
      if (!isLate) resolve(decision);
      else if (decision.accept)
        reports.ended(decision.callId, { cause: 'failed', detail: 'Decided too late.' });
    } catch (error) {
      log.error({ err: error }, 'An incoming call could not be decided about.');
      resolve({ accept: false, reason: 'unavailable' });
    } finally {
      clearTimeout(limit);
    }
  }
}
