import { voiceInstallCommand } from '../../lib/installation.ts';
import { type NamedVoice, speakingProviders, voiceOf } from './voice-of.ts';

export interface SpeechWishes {
  ttsProvider?: string | null | undefined;
  ttsVoice?: string | null | undefined;
  /** The number's own voice, which takes precedence over the bot's. */
  numberVoice?: string | null | undefined;
}

/** What can be used now: providers with a key, and `local` if it is installed. */
export interface AvailableSpeech<S, L> {
  speakers: readonly S[];
  listeners: readonly L[];
}

export type SpeechChoice<S, L> =
  | { speaker: S; voice?: string; listener: L; missing?: never }
  /** A sentence that says what to set or install. */
  | { missing: string };

interface ByProvider {
  readonly provider: string;
}

const listeningProviders = ['deepgram', 'elevenlabs', 'local'];
const variables: Record<string, string> = {
  elevenlabs: 'ELEVENLABS_API_KEY',
  cartesia: 'CARTESIA_API_KEY',
};
const installing = `run \`${voiceInstallCommand}\` for local speech`;

/** Chooses the providers that speak and listen on a call. By default the local voice speaks, or else a provider with a key. */
export function chooseSpeech<S extends ByProvider, L extends ByProvider>(
  wishes: SpeechWishes,
  { speakers, listeners }: AvailableSpeech<S, L>,
): SpeechChoice<S, L> {
  const find = <Each extends ByProvider>(list: readonly Each[], names: readonly string[]) =>
    names.map((name) => list.find(({ provider }) => provider === name)).find((each) => each !== undefined);
  const listener = find(listeners, listeningProviders);
  const wanted = wantedVoice(wishes);
  const speaker = find(speakers, wanted ? [wanted.provider] : speakingProviders);
  if (!speaker) return { missing: speakerMissing(wanted?.provider) };
  if (!listener) {
    return {
      missing: `Calls need a way to listen: set DEEPGRAM_API_KEY or ELEVENLABS_API_KEY, or ${installing}.`,
    };
  }
  const bare = wanted ? wanted.voice : wishes.numberVoice || wishes.ttsVoice || undefined;
  // A bare voice without a provider can only be a local one.
  const voice = wanted || speaker.provider === 'local' ? bare : undefined;
  return { speaker, listener, ...(voice && { voice }) };
}

function wantedVoice(wishes: SpeechWishes): (Partial<NamedVoice> & { provider: string }) | undefined {
  const { ttsProvider } = wishes;
  const voice = wishes.numberVoice || wishes.ttsVoice;
  if (voice) return voiceOf(voice, ttsProvider);
  return ttsProvider ? { provider: ttsProvider } : undefined;
}

function speakerMissing(provider: string | undefined): string {
  if (provider === undefined) {
    return `Calls need a voice: set ELEVENLABS_API_KEY or CARTESIA_API_KEY, or ${installing}.`;
  }
  if (provider === 'local') return `The voice of this bot is a local one: ${installing}.`;
  const variable = variables[provider];
  const remedy = variable ? `set ${variable}` : 'choose another provider';
  return `The voice of this bot comes from ${provider}: ${remedy}.`;
}
