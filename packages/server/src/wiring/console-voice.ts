import { AppError } from '../app-error.ts';
import type { Config } from '../config.ts';
import type { ConsoleVoiceDependencies } from '../console/voice/service.ts';

/** What the console shows of voice, as far as the configuration tells. */
export function consoleVoice(providers: Config['providers']): ConsoleVoiceDependencies['voice'] {
  const withKey = (names: string[]) => names.filter((name) => providers[name]?.apiKey !== undefined);
  return {
    twilioWebhooks: (publicUrl) => ({
      incoming: `${publicUrl}/voice/twilio/incoming`,
      status: `${publicUrl}/voice/twilio/status`,
    }),
    listening: () => withKey(['deepgram', 'elevenlabs']),
    speaking: () => withKey(['elevenlabs', 'cartesia']),
    async endCall() {
      throw new AppError('VOICE_DISABLED');
    },
  };
}
