import type { OpenCallDependencies } from '../voice/exchange/open-call.ts';
import type { WebVoiceDependencies } from '../voice/transports/web/service.ts';

export type WebVoicePorts = Pick<WebVoiceDependencies, 'exchange' | 'isVoiceAvailable'> &
  Pick<OpenCallDependencies, 'canAfford'>;

/** Refuses every call from a browser. */
export const noVoice: WebVoicePorts = {
  exchange: { connected: async (_id, line) => line.hangUp(), ended: async () => undefined },
  isVoiceAvailable: () => 'Speech is not set up on this service.',
  canAfford: async () => true,
};
