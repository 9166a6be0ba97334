import type { VoiceReport } from '@svc/contract/console-voice';
import { voiceInstallCommand } from '../../lib/installation.ts';

/** What calls lack, in sentences for those who run the service. */
export function problemsOf(
  { transport, listening, speaking }: Pick<VoiceReport, 'transport' | 'listening' | 'speaking'>,
  publicUrl: string,
  unheard: readonly { name: string; language: string }[] = [],
): string[] {
  return [
    ...(transport === 'twilio' && !isReachable(publicUrl)
      ? [
          `Twilio cannot reach ${publicUrl}: set SVC_PUBLIC_URL to the https address of this service on the internet.`,
        ]
      : []),
    ...(listening.length === 0
      ? [
          `Nothing can understand speech: set DEEPGRAM_API_KEY or ELEVENLABS_API_KEY, or run ${voiceInstallCommand}.`,
        ]
      : []),
    ...(speaking.length === 0
      ? [`Nothing can speak: set ELEVENLABS_API_KEY or CARTESIA_API_KEY, or run ${voiceInstallCommand}.`]
      : []),
    ...unheard
      .slice(0, maxNamed)
      .map(
        ({ name, language }) =>
          `${name} speaks ${language}, but on calls only English is understood: set DEEPGRAM_API_KEY or ELEVENLABS_API_KEY.`,
      ),
    ...(unheard.length > maxNamed
      ? [
          `The same goes for ${unheard.length - maxNamed} more ${unheard.length === maxNamed + 1 ? 'bot' : 'bots'}.`,
        ]
      : []),
  ];
}

const maxNamed = 5;

function isReachable(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' && !/^(localhost|127\..*|0\.0\.0\.0|\[::1?\])$/.test(hostname);
}
