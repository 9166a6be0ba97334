import { setTimeout as sleep } from 'node:timers/promises';
import { PortTaken } from '@svc/sip/udp-socket';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { type CommandKind, otherNodes } from '../../nodes/node-commands.ts';
import type { Services } from '../../services.ts';
import { CallNotPlaced, type CallToPlace, type VoiceTransport } from '../transports/call-transport.ts';
import type { EndCall } from './end-call.ts';

/** To the node with the telephone connection, which places the call as its record says. */
const callToPlace: CommandKind<{ callId: string }> = { name: 'place call' };
const retryEveryMs = 5_000;
const lookEveryMs = 100;
/** A process that has the telephone connection takes the call on within this time. */
const claimedWithinMs = 12_000;
/** Longer than any transport takes to place a call. */
const placedWithinMs = 30_000;

/**
 * Of several processes on a machine only one can have the port of the telephone connection. The others pass on the calls that
 * they are to place, and take the port over when it becomes free.
 */
export function shareLine(
  dependencies: Pick<Services, 'callRecords' | 'log' | 'nodeCommands' | 'nodeId'> & {
    transport: VoiceTransport;
    endCall: EndCall;
  },
): VoiceTransport {
  const { transport, callRecords, endCall, nodeCommands, nodeId, log } = dependencies;
  let hasPort = false;
  let waiting: Repetition | undefined;
  let stopPlacing: (() => void) | undefined;

  async function open(): Promise<void> {
    try {
      await transport.start();
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error;
      if (!waiting) log.warn(`${error.message} This process takes calls when the port becomes free.`);
      waiting ??= repeat({ name: 'telephone port', everyMilliseconds: retryEveryMs, log, work: open });
      return;
    }
    hasPort = true;
    stopPlacing = nodeCommands.handle(callToPlace, placeForOther);
    if (!waiting) return;
    log.info('This process has the telephone connection now.');
    // Not awaited: it is this round that has opened the port.
    void waiting.stop();
  }

  /** Several processes may hear of the same call, each with a port of its own: one of them gets it. */
  async function claim(callId: string) {
    const row = await callRecords.findAnywhere(callId);
    return row && callRecords.claim(row, nodeId);
  }

  async function placeForOther({ callId }: { callId: string }): Promise<undefined> {
    const own = await claim(callId);
    if (!own) return;
    const { fromNumber: from, toNumber: to, maxSeconds } = own;
    if (from === null || to === null) throw new Error('The call has no numbers.');
    const call = { callId, from, to, maxSeconds };
    await transport.place(call).catch((error: unknown) => endCall(own, 'not_placed', messageOf(error)));
    await callRecords.ring(own);
  }

  async function askOther(call: CallToPlace): Promise<void> {
    nodeCommands.send(callToPlace, otherNodes, { callId: call.callId });
    const askedAt = performance.now();
    for (;;) {
      const row = await callRecords.findAnywhere(call.callId);
      if (row?.endReason === 'not_placed') throw new CallNotPlaced(row.endDetail ?? notPlaced);
      if (row?.status !== 'queued') return;
      const isClaimed = row.nodeId !== null;
      // The port may have become ours after the call was announced.
      if (hasPort && !isClaimed && (await claim(call.callId))) return transport.place(call);
      const waitedMs = performance.now() - askedAt;
      if (!isClaimed && waitedMs > claimedWithinMs)
        throw new CallNotPlaced('No process of this service has the telephone connection.');
      if (waitedMs > placedWithinMs) throw new CallNotPlaced('The call was not placed in time.');
      await sleep(lookEveryMs);
    }
  }

  return {
    ...transport,
    start: open,
    hangUpLeft: async (dialog) => hasPort && ((await transport.hangUpLeft?.(dialog)) ?? true),
    place: (call) => (hasPort ? transport.place(call) : askOther(call)),
    async stop() {
      // A round that is under way may still open the port.
      await waiting?.stop();
      stopPlacing?.();
      await transport.stop();
    },
  };
}

const notPlaced = 'The call could not be placed.';

function messageOf(error: unknown): string {
  return error instanceof CallNotPlaced ? error.message : notPlaced;
}
