import { createRingback } from '../../../audio/ringback.ts';
import { TransferFailed } from '../../call-transport.ts';
import { bridge } from './bridge.ts';
import { dial } from './dial.ts';
import { dialOutcome } from './dial-outcome.ts';
import type { SipCall } from './sip-call.ts';
import type { UserAgent } from './user-agent.ts';

/** Passes the other side of a call on to a number. Rejects with TransferFailed. */
export type Transfer = (to: string) => Promise<void>;

export interface TransferOptions {
  agent: UserAgent;
  call: SipCall;
  /** Our number, which the new person sees if we have to call. */
  from: string;
}

/** The trunk is asked to do it; if it does not do such things, we call the number ourselves and connect the two calls. */
export function createTransfer({ agent, call, from }: TransferOptions): Transfer {
  return async (to) => {
    const outcome = await call.refer(to);
    if (outcome === 'transferred') return call.hangUp({ cause: 'transferred' });
    if (call.isOver) throw new TransferFailed('The call has ended.');
    if (outcome === 'failed') throw new TransferFailed('The trunk could not transfer the call.');
    const second = await callSecond({ agent, call, from }, to);
    call.media.playout.clear();
    bridge(call, second);
  };
}

async function callSecond({ agent, call, from }: TransferOptions, to: string): Promise<SipCall> {
  const media = await agent.openMedia();
  if (!media) throw new TransferFailed('All ports for audio are in use.');
  const { promise, resolve, reject } = Promise.withResolvers<SipCall>();
  let isRinging = false;
  const dialing = dial(
    agent,
    { from, to, ringMs: agent.timers.transferRing, media },
    {
      onProgress(status) {
        if (status >= 180 && !isRinging) call.media.fill(createRingback());
        isRinging ||= status >= 180;
      },
      onAnswered: resolve,
      onFailed(failure) {
        const { cause, detail } = dialOutcome(failure).end;
        reject(new TransferFailed(`The number could not be reached: ${detail ?? cause}`));
      },
    },
  );
  // The person may hang up while the other phone rings.
  const stopWatching = call.onOver(() => dialing.cancel());
  const second = await promise.finally(() => {
    stopWatching();
    call.media.fill(undefined);
  });
  if (!call.isOver) return second;
  second.hangUp();
  throw new TransferFailed('The call has ended.');
}
