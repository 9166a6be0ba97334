import { deepgramSpeech } from '../../../models/providers/deepgram.ts';
import { sampleRateOf } from '../../audio/format.ts';
import { asObject, type JsonObject } from '../shared/read-json.ts';
import {
  type Heard,
  openRecognitionStream,
  type RecognitionLimits,
  usualRecognitionLimits,
} from '../shared/recognition-stream.ts';
import type { ProviderName, ProviderOptions } from '../shared/refusal.ts';
import { type ListeningOptions, SpeechFailed, type SpeechToText } from '../speech.ts';

const name: ProviderName = { label: 'Deepgram', keyVariable: 'DEEPGRAM_API_KEY' };
const model = 'nova-3';

export function createDeepgramListener(options: ProviderOptions<RecognitionLimits>): SpeechToText {
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

/** Says what the messages of one stream mean. Speech that was reported as over is not reported again by UtteranceEnd. */
function createDeepgramReader({ label }: ProviderName): (message: JsonObject) => Heard[] {
  let hasWords = false;
  return (message) => {
    if (message['type'] === 'Error') {
      const failure = new SpeechFailed(`${label} reported an error.`);
      return [{ kind: 'error', failure, isPassing: true }];
    }
    if (message['type'] === 'UtteranceEnd') return endOfSpeech();
    if (message['type'] !== 'Results') return [];
    const text = transcriptOf(message);
    if (text === undefined) {
      const failure = new SpeechFailed(`${label} sent a transcript that cannot be read.`);
      return [{ kind: 'error', failure, isPassing: true }];
    }
    if (message['is_final'] !== true) return text ? [{ kind: 'partial', text }] : [];
    if (text) hasWords = true;
    const isOver = message['speech_final'] === true && message['from_finalize'] !== true;
    return [{ kind: 'final', text }, ...(isOver ? endOfSpeech() : [])];
  };

  function endOfSpeech(): Heard[] {
    if (!hasWords) return [];
    hasWords = false;
    return [{ kind: 'end_of_speech' }];
  }
}

function transcriptOf(message: JsonObject): string | undefined {
  const alternatives = asObject(message['channel'])?.['alternatives'];
  const first = Array.isArray(alternatives) ? asObject(alternatives[0]) : undefined;
  const transcript = first?.['transcript'];
  return typeof transcript === 'string' ? transcript : undefined;
}
