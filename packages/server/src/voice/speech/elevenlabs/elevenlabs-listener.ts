import { elevenlabsSpeech } from '../../../models/providers/elevenlabs.ts';
import type { Services } from '../../../services.ts';
import { sampleRateOf, silence } from '../../audio/format.ts';
import {
  openRecognitionStream,
  type RecognitionLimits,
  usualRecognitionLimits,
} from '../shared/recognition-stream.ts';
import type { ListeningOptions, SpeechToText } from '../speech.ts';
import { elevenLabsName as name } from './elevenlabs-name.ts';
import { readElevenLabsMessage } from './elevenlabs-reader.ts';

const model = 'scribe_v2_realtime';
/** The provider has no other message for that. */
const keepAliveMs = 100;

export interface ElevenLabsListenerOptions extends Pick<Services, 'lane'> {
  apiKey: string;
  baseUrl?: string;
  limits?: RecognitionLimits;
}

export function createElevenLabsListener(options: ElevenLabsListenerOptions): SpeechToText {
  const { apiKey, baseUrl = elevenlabsSpeech.baseUrl, lane, limits = usualRecognitionLimits } = options;
  const headers = elevenlabsSpeech.headers(apiKey);
  return {
    provider: 'elevenlabs',
    open(listening, events) {
      const url = addressOf(baseUrl, listening);
      const chunk = (audio: Buffer) =>
        JSON.stringify({
          message_type: 'input_audio_chunk',
          audio_base_64: audio.toString('base64'),
          commit: false,
          sample_rate: sampleRateOf(listening.format),
        });
      return openRecognitionStream(
        {
          name,
          connect: (socketEvents) => lane.openWebSocket(url, { headers, events: socketEvents }),
          isReadyWhenOpen: false,
          audio: chunk,
          // It commits at pauses by itself, and closes a session that asks for it too early.
          keepAlive: chunk(silence(listening.format, keepAliveMs)),
          read: readElevenLabsMessage,
        },
        { format: listening.format, limits },
        events,
      );
    },
  };
}

function addressOf(baseUrl: string, { format, language }: ListeningOptions): URL {
  const url = new URL(`${baseUrl}/v1/speech-to-text/realtime`);
  url.search = new URLSearchParams({
    model_id: model,
    audio_format: format === 'mulaw-8000' ? 'ulaw_8000' : 'pcm_16000',
    commit_strategy: 'vad',
    // More than 0.3 is required.
    vad_silence_threshold_secs: '0.31',
    // Its codes are those of ISO 639, without a region.
    ...(language && { language_code: language.split('-')[0] ?? language }),
  }).toString();
  return url;
}
