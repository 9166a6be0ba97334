import { elevenlabsSpeech } from '../../../models/providers/elevenlabs.ts';
import { sampleRateOf, silence } from '../../audio/format.ts';
import { type JsonObject, textOf } from '../shared/read-json.ts';
import {
  type Heard,
  openRecognitionStream,
  type RecognitionLimits,
  usualRecognitionLimits,
} from '../shared/recognition-stream.ts';
import { type ProviderOptions, refusalOf } from '../shared/refusal.ts';
import { type ListeningOptions, SpeechFailed, type SpeechToText } from '../speech.ts';
import { elevenLabsName as name } from './elevenlabs-speaker.ts';

const model = 'scribe_v2_realtime';
/** The provider has no other message for that. */
const keepAliveMs = 100;

export function createElevenLabsListener(options: ProviderOptions<RecognitionLimits>): SpeechToText {
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

/** After these another attempt cannot help. */
const lasting: Record<string, SpeechFailed> = {
  auth_error: refusalOf(name, 401),
  quota_exceeded: refusalOf(name, 402),
  unaccepted_terms: new SpeechFailed('ElevenLabs requires that its terms are accepted in the account first.'),
  invalid_request: new SpeechFailed('ElevenLabs does not accept what was requested.'),
};

/** Errors that end or disturb a session; `commit_throttled` only says that there was nothing new to commit. */
const passing = new Set([
  'error',
  'transcriber_error',
  'rate_limited',
  'input_error',
  'queue_overflow',
  'resource_exhausted',
  'session_time_limit_exceeded',
  'chunk_size_exceeded',
  'insufficient_audio_activity',
]);

/** What a message of the realtime recogniser means. */
function readElevenLabsMessage(message: JsonObject): Heard[] {
  const type = textOf(message['message_type']) ?? '';
  const text = textOf(message['text']) ?? '';
  if (type === 'session_started') return [{ kind: 'ready' }];
  if (type === 'partial_transcript') return text ? [{ kind: 'partial', text }] : [];
  if (type === 'committed_transcript') return [{ kind: 'final', text }];
  const failure = Object.hasOwn(lasting, type) ? lasting[type] : undefined;
  if (failure) return [{ kind: 'error', failure, isPassing: false }];
  if (!passing.has(type)) return [];
  return [
    { kind: 'error', failure: new SpeechFailed(`ElevenLabs ended the session (${type}).`), isPassing: true },
  ];
}
