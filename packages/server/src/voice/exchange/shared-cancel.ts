import type { Bus, Subscription, TopicKind } from '../../bus/bus.ts';
import type { VoiceTransport } from '../transports/transport.ts';

/** A call that the process which placed it should give up. */
const callToCancel: TopicKind<{ callId: string }> = { name: 'call to cancel' };
const anyProcess = 'any';

export interface SharedCancelDependencies {
  transport: VoiceTransport;
  bus: Pick<Bus, 'publish' | 'subscribe'>;
}

/** Only the process that placed a call can stop the phone from ringing, and any process may be asked to. */
export function shareCancel({ transport, bus }: SharedCancelDependencies): VoiceTransport {
  let cancelling: Subscription | undefined;
  return {
    ...transport,
    cancel: (callId) => bus.publish(callToCancel, anyProcess, { callId }),
    async start() {
      cancelling = bus.subscribe(callToCancel, anyProcess, {
        onMessage: ({ callId }) => transport.cancel(callId),
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
