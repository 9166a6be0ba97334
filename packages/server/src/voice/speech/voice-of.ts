/** The providers that speak, in the order in which one is chosen where none is named. */
export const speakingProviders = ['local', 'elevenlabs', 'cartesia'] as const;

export interface NamedVoice {
  provider: string;
  /** Without the provider. */
  voice: string;
}

/**
 * Which provider a voice belongs to. An id of the catalog carries it: `elevenlabs/rachel`; a bare one belongs to the bot's
 * `tts_provider`. Undefined for a bare voice of a bot without one.
 */
export function voiceOf(voice: string, ttsProvider: string | null | undefined): NamedVoice | undefined {
  const [, named = '', rest] = /^([a-z]+)\/(.+)$/.exec(voice) ?? [];
  if (rest && speakingProviders.some((name) => name === named)) return { provider: named, voice: rest };
  return ttsProvider ? { provider: ttsProvider, voice } : undefined;
}
