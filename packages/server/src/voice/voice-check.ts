import type { BotSettings } from '@svc/contract/bots';
import { AppError } from '../app-error.ts';
import type { VoiceCheck } from '../bots/service.ts';
import type { TrustedLane } from '../egress/trusted-lane.ts';
import type { ProviderConfig } from '../model-config.ts';

export interface VoiceCheckDependencies {
  providers: { elevenlabs?: ProviderConfig; cartesia?: ProviderConfig };
  lane: Pick<TrustedLane, 'fetch'>;
  timeoutMilliseconds?: number;
}

const known = {
  elevenlabs: {
    baseUrl: 'https://api.elevenlabs.io',
    path: (voice: string) => `/v1/voices/${voice}`,
    headers: (apiKey: string): Record<string, string> => ({ 'xi-api-key': apiKey }),
  },
  cartesia: {
    baseUrl: 'https://api.cartesia.ai',
    path: (voice: string) => `/voices/${voice}`,
    headers: (apiKey: string): Record<string, string> => ({
      authorization: `Bearer ${apiKey}`,
      'cartesia-version': '2025-04-16',
    }),
  },
} as const;

/** Asks a speech provider that has a key whether it knows the voice that a bot is to speak with. */
export function createVoiceCheck({
  providers,
  lane,
  timeoutMilliseconds = 10_000,
}: VoiceCheckDependencies): VoiceCheck {
  return {
    async check(settings) {
      const wanted = voiceOf(settings);
      const apiKey = wanted && providers[wanted.provider]?.apiKey;
      if (!wanted || !apiKey) return;
      // An address has no place for these two names: they would lead to another one.
      if (/^\.{1,2}$/.test(wanted.voice)) throw failed(wanted.provider);
      const { baseUrl, path, headers } = known[wanted.provider];
      const address =
        (providers[wanted.provider]?.baseUrl ?? baseUrl) + path(encodeURIComponent(wanted.voice));
      try {
        const response = await lane.fetch(address, {
          headers: headers(apiKey),
          signal: AbortSignal.timeout(timeoutMilliseconds),
        });
        await response.body?.cancel();
        if (response.ok) return;
      } catch (error) {
        throw failed(wanted.provider, error);
      }
      throw failed(wanted.provider);
    },
  };
}

/** A catalog id carries its provider: `elevenlabs/voice`. A bare voice belongs to `tts_provider`. */
function voiceOf({ tts_provider: provider, tts_voice: voice }: BotSettings) {
  if (!voice) return undefined;
  const match = /^(elevenlabs|cartesia)\/(.+)$/.exec(voice);
  if (match) return { provider: match[1] as keyof typeof known, voice: match[2] as string };
  return provider ? { provider, voice } : undefined;
}

function failed(provider: string, cause?: unknown): AppError {
  return new AppError('UPSTREAM_FAILED', {
    message: `The speech provider ${provider} did not confirm the voice: nothing was saved.`,
    details: [{ path: 'tts_voice', message: `was not confirmed by ${provider}` }],
    cause,
  });
}
