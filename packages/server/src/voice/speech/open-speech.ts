import type { TrustedLane } from '../../egress/trusted-lane.ts';
import type { ProviderConfigs } from '../../models/providers/provider.ts';
import { createCartesiaSpeaker } from './cartesia/cartesia-speaker.ts';
import { createDeepgramListener } from './deepgram/deepgram-listener.ts';
import { createElevenLabsListener } from './elevenlabs/elevenlabs-listener.ts';
import { createElevenLabsSpeaker } from './elevenlabs/elevenlabs-speaker.ts';
import type { SpeechToText, TextToSpeech } from './speech.ts';

export interface Speech {
  speakers: TextToSpeech[];
  listeners: SpeechToText[];
}

/** The speech providers that have a key, those that are preferred first. */
export function openSpeech({ providers, lane }: { providers: ProviderConfigs; lane: TrustedLane }): Speech {
  const keyed = (name: string) => {
    const { apiKey, baseUrl } = providers[name] ?? {};
    return apiKey === undefined ? undefined : { apiKey, lane, ...(baseUrl !== undefined && { baseUrl }) };
  };
  const [elevenLabs, cartesia, deepgram] = ['elevenlabs', 'cartesia', 'deepgram'].map(keyed);
  return {
    speakers: [
      ...(elevenLabs ? [createElevenLabsSpeaker(elevenLabs)] : []),
      ...(cartesia ? [createCartesiaSpeaker(cartesia)] : []),
    ],
    listeners: [
      ...(deepgram ? [createDeepgramListener(deepgram)] : []),
      ...(elevenLabs ? [createElevenLabsListener(elevenLabs)] : []),
    ],
  };
}
