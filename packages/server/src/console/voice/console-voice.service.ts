import type { VoiceReport } from '@svc/contract/console-voice';
import type { Services } from '../../services.ts';
import { problemsOf } from './problems-of.ts';

/** What the console needs to know of voice. */
export interface ConsoleVoiceDependencies extends Pick<Services, 'config'> {
  voice: {
    /** The addresses that Twilio is given. */
    twilioWebhooks(publicUrl: string): { incoming: string; status: string };
    /** What can be used at the moment, by the names of the configuration, the preferred first. */
    listening(): string[];
    speaking(): string[];
    /** How far local recognition is behind on this node, and whether calls are refused because of it. */
    listeningLag(): { milliseconds: number; isTooMuch: boolean };
    /** The bots whose language, as named here, is not understood on calls. */
    unheardBots(workspaceId: string): Promise<{ id: string; name: string; language: string }[]>;
    /** What bots of the workspace may dial. */
    dialingOf(workspaceId: string): Promise<VoiceReport['dialing']>;
    /** The numbers that the workspace could use; null if it may use any. */
    freeNumbers(workspaceId: string): Promise<string[] | null>;
    /** Ends a call, wherever it is held. Harmless if it is over; throws NOT_FOUND if the workspace has no such call. */
    endCall(workspaceId: string, callId: string): Promise<void>;
  };
}

export type ConsoleVoiceService = ReturnType<typeof createConsoleVoiceService>;

const local = 'local';

export function createConsoleVoiceService({ config, voice }: ConsoleVoiceDependencies) {
  return {
    /** What of voice is set up, without any key. */
    async report(workspaceId: string): Promise<VoiceReport> {
      const transport = config.voice?.transport ?? null;
      const parts = { transport, listening: voice.listening(), speaking: voice.speaking() };
      const lag = voice.listeningLag();
      const unheard = await voice.unheardBots(workspaceId);
      return {
        ...parts,
        webhooks: transport === 'twilio' ? voice.twilioWebhooks(config.publicUrl) : null,
        local: { listening: parts.listening.includes(local), speaking: parts.speaking.includes(local) },
        listening_lag_ms: lag.milliseconds,
        unheard_bots: unheard.map(({ id }) => id),
        problems: [
          ...problemsOf(parts, config.publicUrl, unheard),
          ...(lag.isTooMuch
            ? [
                `Speech recognition is ${Math.round(lag.milliseconds / 1_000)} s behind what callers say, so new calls are refused as busy: this machine has too much to do.`,
              ]
            : []),
        ],
        dialing: await voice.dialingOf(workspaceId),
        free_numbers: await voice.freeNumbers(workspaceId),
      };
    },

    endCall: (workspaceId: string, callId: string) => voice.endCall(workspaceId, callId),
  };
}
