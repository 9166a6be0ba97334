import type { Subscription, TopicKind } from '../../bus/bus.ts';
import type { Services } from '../../services.ts';
import type { VoiceTransport } from '../transports/call-transport.ts';

/** A call that the process which placed it should give up. */
const callToCancel: TopicKind<{ callId: string }> = { name: 'call to cancel' };
const anyProcess = 'any';

export interface SharedCancelDependencies extends Pick<Services, 'bus' | 'callRecords' | 'log'> {
  transport: VoiceTransport;
}

/** Only the process that placed a call can stop the phone from ringing, and any process may be asked to once the call is over. */
export function shareCancel(dependencies: SharedCancelDependencies): VoiceTransport {
  const { transport, bus, callRecords, log } = dependencies;
  let cancelling: Subscription | undefined;

  async function cancelIfOver(callId: string): Promise<void> {
    const row = await callRecords.findAnywhere(callId);
    if (row?.endedAt) transport.cancel(callId);
  }

  return {
    ...transport,
    cancel: (callId) => bus.publish(callToCancel, anyProcess, { callId }),
    async start() {
      cancelling = bus.subscribe(callToCancel, anyProcess, {
        onMessage({ callId }) {
          cancelIfOver(callId).catch((error: unknown) => {
            log.error({ err: error }, 'A call that is over could not be cancelled.');
          });
        },
        // The call has ended on its record: whoever answers it is hung up on.
        onLost: () => undefined,
      });
      await transport.start();
    },
    async stop() {
      cancelling?.end();
      await transport.stop();
    },
  };
}
