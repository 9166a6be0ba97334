import type { ConsoleVoiceDependencies } from '../console/voice/console-voice.service.ts';
import type { Feature, Services } from '../services.ts';
import { voiceCatalogRoutes } from '../voice/catalog/voice-catalog.routes.ts';
import { voiceNumberRoutes } from '../voice/numbers/phone-numbers.routes.ts';
import { type OpenVoiceOptions, openVoice } from '../voice/open-voice.ts';
import { outboundCallRoutes } from '../voice/outbound/outbound-calls.routes.ts';
import { twilioRoutes } from '../voice/transports/twilio/twilio.routes.ts';
import { incomingPath, statusPath } from '../voice/transports/twilio/twilio-transport.ts';
import { webVoiceRoutes } from '../voice/transports/web/web-voice.routes.ts';
import { createWebVoiceService } from '../voice/transports/web/web-voice.service.ts';

type Provided = Pick<
  Services,
  | 'dialing'
  | 'isVoiceAvailable'
  | 'outboundCalls'
  | 'voiceCatalog'
  | 'voiceNumbers'
  | 'voiceSamples'
  | 'webVoice'
>;

/** Calls by telephone and microphone. Visitors who call from a page belong to widgets. */
export function openCalls(
  services: OpenVoiceOptions &
    Pick<Services, 'billing' | 'creditOf' | 'endUsers' | 'visitors' | 'voiceCalls'>,
): Feature<Provided> & {
  /** Opens the connection to the telephone network. Call when requests are answered: a trunk may take its time. */
  connect(): Promise<void>;
  /** What the console shows of voice, and does with calls. */
  ofConsole: ConsoleVoiceDependencies['voice'];
} {
  const voice = openVoice(services);
  const { exchange, postCall, dialing } = voice;
  const { twilio, ...provided } = voice.routes;
  return {
    services: {
      ...provided,
      dialing,
      isVoiceAvailable: voice.ofWeb.isVoiceAvailable,
      webVoice: createWebVoiceService({ ...services, ...voice.ofWeb, openCall: voice.openCall }),
    },
    routes: [
      voiceNumberRoutes,
      outboundCallRoutes,
      async (http, given) => {
        if (twilio) await twilioRoutes(http, { ...given, twilio });
      },
      webVoiceRoutes,
      voiceCatalogRoutes,
    ],
    rounds: [
      { name: 'calls of lost nodes', everyMilliseconds: 3_000, work: exchange.sweep, takesOver: true },
      { name: 'hooks without a job', everyMilliseconds: 60_000, work: postCall.sweep },
    ],
    stop: voice.stop,
    connect: voice.start,
    ofConsole: {
      twilioWebhooks: (publicUrl) => ({ incoming: publicUrl + incomingPath, status: publicUrl + statusPath }),
      listening: () => voice.listeners.map(({ provider }) => provider),
      speaking: () => voice.speakers.map(({ provider }) => provider),
      async dialingOf(workspaceId) {
        const { destinations, callsPerHour, callsPerDay } = await dialing.rulesOf(workspaceId);
        return { destinations: [...destinations], calls_per_hour: callsPerHour, calls_per_day: callsPerDay };
      },
      freeNumbers: voice.numbers.listFree,
      endCall: exchange.end,
    },
  };
}
