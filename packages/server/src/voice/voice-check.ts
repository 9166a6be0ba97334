import type { VoiceCheck } from '../bots/bots.service.ts';
import { AppError } from '../lib/app-error.ts';
import type { ProviderConfigs } from '../models/providers/provider.ts';
import { findProvider } from '../models/providers/providers.ts';
import type { Services } from '../services.ts';
import { voiceOf } from './speech/voice-of.ts';

/** Checks a bot's voice with its speech provider, if that has a key. */
export function createVoiceCheck(
  dependencies: Pick<Services, 'lane'> & {
    providers: ProviderConfigs;
    timeoutMilliseconds?: number;
  },
): VoiceCheck {
  const { providers, lane, timeoutMilliseconds = 10_000 } = dependencies;
  return {
    async check(settings) {
      const wanted = settings.tts_voice ? voiceOf(settings.tts_voice, settings.tts_provider) : undefined;
      const access = wanted && findProvider(wanted.provider)?.speech;
      const { apiKey, baseUrl = access?.baseUrl } = (wanted && providers[wanted.provider]) ?? {};
      if (!wanted || !access?.voicePath || !apiKey) return;
      // In an address these two names would lead to another resource.
      if (/^\.{1,2}$/.test(wanted.voice)) throw failed(wanted.provider);
      const address = baseUrl + access.voicePath(encodeURIComponent(wanted.voice));
      try {
        const response = await lane.fetch(address, {
          headers: access.headers(apiKey),
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

function failed(provider: string, cause?: unknown): AppError {
  return new AppError('UPSTREAM_FAILED', {
    message: `The speech provider ${provider} did not confirm the voice: nothing was saved.`,
    details: [{ path: 'tts_voice', message: `was not confirmed by ${provider}` }],
    cause,
  });
}
