import { type JsonObject, textOf } from '../shared/read-json.ts';
import type { Heard } from '../shared/recognition-stream.ts';
import { refusalOf } from '../shared/refusal.ts';
import { SpeechFailed } from '../speech.ts';
import { elevenLabsName as name } from './elevenlabs-name.ts';

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
export function readElevenLabsMessage(message: JsonObject): Heard[] {
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
