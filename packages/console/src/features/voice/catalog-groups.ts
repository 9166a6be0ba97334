import type { CatalogVoice } from '@svc/contract/voice';

const names: Partial<Record<string, string>> = {
  elevenlabs: 'ElevenLabs',
  cartesia: 'Cartesia',
  deepgram: 'Deepgram',
  local: 'On this service',
};

export function providerName(provider: string): string {
  return names[provider] ?? provider;
}

/** `elevenlabs/abc` → `elevenlabs` and `abc`. */
export function splitVoiceId(id: string): { provider: string; voice: string } {
  const at = id.indexOf('/');
  return { provider: at === -1 ? '' : id.slice(0, at), voice: id.slice(at + 1) };
}

/** `ElevenLabs · English · female`. */
export function describeVoice({ id, language, gender }: CatalogVoice): string {
  return [providerName(splitVoiceId(id).provider), language && languageName(language), gender]
    .filter(Boolean)
    .join(' · ');
}

export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
  } catch {
    // Not a tag, but perhaps a name.
    return tag;
  }
}

/** Providers that can speak: a list of voices without any of theirs is probably incomplete, because they could not be asked. */
export function providersWithoutVoices(
  speaking: readonly string[],
  voices: readonly CatalogVoice[],
): string[] {
  const listed = new Set(voices.map(({ id }) => splitVoiceId(id).provider));
  return speaking.filter((provider) => !listed.has(provider));
}

export interface VoiceGroup {
  provider: string;
  voices: CatalogVoice[];
}

/** Those that have every word of the search in their name, language, gender or id, by provider. */
export function groupVoices(voices: readonly CatalogVoice[], search: string): VoiceGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = voices.filter((voice) => {
    // “male” must not find “female”.
    const text = ` ${voice.name} ${describeVoice(voice)} ${voice.language ?? ''} ${voice.id}`.toLowerCase();
    return words.every((word) => text.includes(` ${word}`) || voice.id.toLowerCase().includes(`/${word}`));
  });
  return [...Map.groupBy(found, ({ id }) => splitVoiceId(id).provider)].map(([provider, group]) => ({
    provider,
    voices: group,
  }));
}
