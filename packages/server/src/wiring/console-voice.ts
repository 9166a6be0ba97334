import type { ConsoleVoiceDependencies } from '../console/voice/console-voice.service.ts';
import type { OpenedVoice } from '../voice/open-voice.ts';
import { incomingPath, statusPath } from '../voice/transports/twilio/twilio-transport.ts';

/** What the console shows of voice, and does with calls. */
export function consoleVoice(voice: OpenedVoice): ConsoleVoiceDependencies['voice'] {
  return {
    twilioWebhooks: (publicUrl) => ({ incoming: publicUrl + incomingPath, status: publicUrl + statusPath }),
    listening: () => voice.listeners.map(({ provider }) => provider),
    speaking: () => voice.speakers.map(({ provider }) => provider),
    async dialingOf(workspaceId) {
      const { destinations, callsPerHour, callsPerDay } = await voice.dialing.rulesOf(workspaceId);
      return {
        destinations: [...destinations],
        calls_per_hour: callsPerHour,
        calls_per_day: callsPerDay,
      };
    },
    freeNumbers: voice.numbers.listFree,
    endCall: voice.exchange.end,
  };
}
