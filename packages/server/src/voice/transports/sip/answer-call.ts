import { createHash } from 'node:crypto';
import type { ExpectSipCall } from '@svc/sip/calls/answer-call';
import type { SipCall } from '@svc/sip/calls/sip-call';
import type { Transfer } from '@svc/sip/calls/transfer';
import type { Log } from '../../../lib/log.ts';
import { waitAtMost } from '../../../lib/wait-at-most.ts';
import type { Exchange, Expectation, IncomingDecision, Refusal } from '../call-transport.ts';
import type { Reports } from './reports.ts';
import { createSipLine } from './sip-line.ts';

export interface AnswerCall {
  exchange: Exchange;
  reports: Reports;
  /** The exchange decides about a call within this time. */
  decisionMs: number;
  log: Log;
}

/**
 * Busy rather than unavailable where no more calls are possible: after a 503 some trunks send us no calls for a while. A second
 * branch is refused like the same request on two ways (RFC 3261, section 8.2.2.2); a 6xx would end the first one as well.
 */
const refusals = { unknown_number: 404, busy: 486, unavailable: 503, taken: 482 } as const;

/** Asks the exchange about calls, and gives it the line of those that are real. */
export function createAnswerCall({ exchange, reports, decisionMs, log }: AnswerCall): ExpectSipCall {
  /** A decision that comes too late is answered as if the call had failed. */
  async function decide<Decision extends IncomingDecision | Expectation>(
    ask: () => Promise<Decision>,
    undo: (late: Decision | Refusal) => void,
  ): Promise<Decision | Refusal> {
    const unavailable: Refusal = {
      accept: false,
      reason: 'unavailable',
      why: 'It was not decided about in time.',
    };
    const decision = ask().catch((error: unknown) => {
      log.error({ err: error }, 'An incoming call could not be decided about.');
      return unavailable;
    });
    if (await waitAtMost(decisionMs, decision)) return decision;
    log.warn({ milliseconds: decisionMs }, `A call was refused. ${unavailable.why}`);
    decision.then(undo).catch((error: unknown) => {
      log.error({ err: error }, 'A call that was decided about too late could not be undone.');
    });
    return unavailable;
  }

  return async ({ callId, branch, from, to }) => {
    // The branch may be of any length; its digest is short and can be stored.
    const networkBranch = createHash('sha256').update(branch).digest('base64url');
    const incoming = { transport: 'sip', networkId: callId, networkBranch, from, to } as const;
    const expected = await decide<Expectation>(
      () => exchange.expect(incoming),
      (late) => late.accept && late.release(),
    );
    if (!expected.accept) return { refuse: refusals[expected.reason] };
    const { release } = expected;

    async function connect(call: SipCall, transfer: Transfer): Promise<void> {
      // From now on, so that nothing of what the caller says is lost.
      const line = createSipLine(call, transfer);
      const decision = await decide<IncomingDecision>(
        () => exchange.incoming(incoming),
        (late) => late.accept && reports.ended(late.callId, { cause: 'failed', detail: 'Decided too late.' }),
      );
      release();
      if (!decision.accept) return line.hangUp();
      call.endAfter(decision.maxSeconds);
      reports.connected(decision.callId, line);
    }

    return { onConfirmed: (call, transfer) => void connect(call, transfer), onGone: release };
  };
}
