import type { BotSettings } from '@svc/contract/bots';
import { AppError } from '../app-error.ts';
import type { VoiceCheck } from '../bots/service.ts';
import type { TrustedLane } from '../egress/trusted-lane.ts';
import type { ProviderConfigs } from '../models/providers/provider.ts';
import { findProvider } from '../models/providers/providers.ts';

export interface VoiceCheckDependencies {
  providers: ProviderConfigs;
  lane: Pick<TrustedLane, 'fetch'>;
  timeoutMilliseconds?: number;
}

/** Checks a bot's voice with its speech provider, if that has a key. */
export function createVoiceCheck({
  providers,
  lane,
  timeoutMilliseconds = 10_000,
}: VoiceCheckDependencies): VoiceCheck {
  return {
    async check(settings) {
      const wanted = voiceOf(settings);
      const catalog = wanted && findProvider(wanted.provider)?.voices;
      const { apiKey, baseUrl = catalog?.baseUrl } = (wanted && providers[wanted.provider]) ?? {};
      if (!catalog || !apiKey) return;
      // In an address these two names would lead to another resource.
      if (/^\.{1,2}$/.test(wanted.voice)) throw failed(wanted.provider);
      const address = baseUrl + catalog.path(encodeURIComponent(wanted.voice));
      try {
        const response = await lane.fetch(address, {
          headers: catalog.headers(apiKey),
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
  const [, named, rest] = /^([a-z]+)\/(.+)$/.exec(voice) ?? [];
  if (named && rest && findProvider(named)?.voices) return { provider: named, voice: rest };
  return provider ? { provider, voice } : undefined;
}

function failed(provider: string, cause?: unknown): AppError {
  return new AppError('UPSTREAM_FAILED', {
    message: `The speech provider ${provider} did not confirm the voice: nothing was saved.`,
    details: [{ path: 'tts_voice', message: `was not confirmed by ${provider}` }],
    cause,
  });
}
