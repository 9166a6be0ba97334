import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Subscription, TopicKind } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import type { Log } from '../../log.ts';
import { type Repetition, repeat } from '../../repeat.ts';
import { voiceCallStore } from '../../voice-calls/service.ts';
import { PortTaken } from '../transports/sip/udp-socket.ts';
import { CallNotPlaced, type CallToPlace, type VoiceTransport } from '../transports/transport.ts';
import type { EndCall } from './end-call.ts';

/** A call that the process with the telephone connection should place. */
const callToPlace: TopicKind<CallToPlace> = { name: 'call to place' };
const anyProcess = 'any';

export interface SharedLineDependencies {
  transport: VoiceTransport;
  bus: Pick<Bus, 'publish' | 'subscribe'>;
  database: Database;
  endCall: EndCall;
  nodeId: string;
  log: Log;
}

const retryEveryMs = 5_000;
const lookEveryMs = 100;
const placedWithinMs = 12_000;

/**
 * Of several processes on a machine only one can have the port of the telephone connection. The others pass on the calls that
 * they are to place, and take the port over when it becomes free.
 */
export function shareLine({
  transport,
  bus,
  database,
  endCall,
  nodeId,
  log,
}: SharedLineDependencies): VoiceTransport {
  let hasPort = false;
  let waiting: Repetition | undefined;
  let placing: Subscription | undefined;

  async function open(): Promise<void> {
    try {
      await transport.start();
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error;
      waiting ??= repeat({ name: 'telephone port', everyMilliseconds: retryEveryMs, log, work: open });
      return;
    }
    hasPort = true;
    placing = bus.subscribe(callToPlace, anyProcess, {
      onMessage: (call, from) => {
        if (from === 'elsewhere') void placeForOther(call);
      },
      // The process that asked gives up after a while.
      onLost: () => undefined,
    });
    // Not awaited: it may be this round that has opened the port.
    void waiting?.stop();
  }

  async function placeForOther(call: CallToPlace): Promise<void> {
    try {
      const row = await voiceCallStore.findAcrossWorkspaces(database.query, call.callId);
      const claim = { nodeId };
      const own =
        row && (await voiceCallStore.changeOpen(database.query, row.workspaceId, row.id, claim, ['queued']));
      if (!own) return;
      await transport.place(call).catch((error: unknown) => endCall(own, 'not_placed', messageOf(error)));
      await voiceCallStore.changeOpen(database.query, own.workspaceId, own.id, { status: 'ringing' }, [
        'queued',
      ]);
    } catch (error) {
      log.error({ err: error }, 'A call of another process could not be placed.');
    }
  }

  async function askOther(call: CallToPlace): Promise<void> {
    bus.publish(callToPlace, anyProcess, call);
    const giveUpAt = performance.now() + placedWithinMs;
    while (performance.now() < giveUpAt) {
      const row = await voiceCallStore.findAcrossWorkspaces(database.query, call.callId);
      if (row?.endReason === 'not_placed') throw new CallNotPlaced(row.endDetail ?? notPlaced);
      if (row?.status !== 'queued') return;
      await sleep(lookEveryMs);
    }
    throw new CallNotPlaced('No process of this service has the telephone connection.');
  }

  return {
    ...transport,
    start: open,
    place: (call) => (hasPort ? transport.place(call) : askOther(call)),
    async stop() {
      placing?.end();
      await waiting?.stop();
      await transport.stop();
    },
  };
}

const notPlaced = 'The call could not be placed.';

function messageOf(error: unknown): string {
  return error instanceof CallNotPlaced ? error.message : notPlaced;
}
