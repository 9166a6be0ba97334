import { deepgramSpeech } from '../../../models/providers/deepgram.ts';
import type { Services } from '../../../services.ts';
import { sampleRateOf } from '../../audio/format.ts';
import {
  openRecognitionStream,
  type RecognitionLimits,
  usualRecognitionLimits,
} from '../shared/recognition-stream.ts';
import type { ProviderName } from '../shared/refusal.ts';
import type { ListeningOptions, SpeechToText } from '../speech.ts';
import { createDeepgramReader } from './deepgram-reader.ts';

const name: ProviderName = { label: 'Deepgram', keyVariable: 'DEEPGRAM_API_KEY' };
const model = 'nova-3';

export interface DeepgramListenerOptions extends Pick<Services, 'lane'> {
  apiKey: string;
  baseUrl?: string;
  limits?: RecognitionLimits;
}

export function createDeepgramListener(options: DeepgramListenerOptions): SpeechToText {
  const { apiKey, baseUrl = deepgramSpeech.baseUrl, lane, limits = usualRecognitionLimits } = options;
  const headers = deepgramSpeech.headers(apiKey);
  return {
    provider: 'deepgram',
    open(listening, events) {
      const url = addressOf(baseUrl, listening);
      return openRecognitionStream(
        {
          name,
          connect: (socketEvents) => lane.openWebSocket(url, { headers, events: socketEvents }),
          isReadyWhenOpen: true,
          audio: (audio) => audio,
          finish: '{"type":"Finalize"}',
          goodbye: '{"type":"CloseStream"}',
          keepAlive: '{"type":"KeepAlive"}',
          read: createDeepgramReader(name),
        },
        { format: listening.format, limits },
        events,
      );
    },
  };
}

function addressOf(baseUrl: string, { format, language = 'multi' }: ListeningOptions): URL {
  const url = new URL(`${baseUrl}/v1/listen`);
  url.search = new URLSearchParams({
    model,
    language,
    encoding: format === 'mulaw-8000' ? 'mulaw' : 'linear16',
    sample_rate: String(sampleRateOf(format)),
    channels: '1',
    interim_results: 'true',
    smart_format: 'true',
    vad_events: 'true',
    endpointing: '300',
    utterance_end_ms: '1000',
  }).toString();
  return url;
}
