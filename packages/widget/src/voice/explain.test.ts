import { expect, it } from 'vitest';
import { englishTexts } from '../panel/texts.ts';
import { explainEnd, explainFailure } from './explain.ts';
import { englishVoiceTexts } from './texts.ts';

const texts = { ...englishTexts, ...englishVoiceTexts };

it.each([
  ['caller_hung_up', texts.voiceEnded],
  ['bot_hung_up', texts.voiceEnded],
  ['silence', texts.voiceEnded],
  ['max_duration', texts.voiceTimeUp],
  ['insufficient_balance', texts.resting],
  ['visitor_limit', texts.resting],
  ['speech_failed', texts.voiceFailed],
  ['bot_failed', texts.voiceFailed],
  ['node_lost', texts.voiceFailed],
  ['service_stopped', texts.voiceFailed],
])('explains the end of a call: %s', (reason, said) => {
  expect(explainEnd(reason, texts)).toBe(said);
});

const refusal = (status: number, limit?: string, retryAfter = 0) =>
  Object.assign(new Error('No.'), { status, details: limit ? [{ limit }] : [], retryAfter });

it.each([
  [new DOMException('No.', 'NotAllowedError'), texts.voiceRefused],
  [new DOMException('No.', 'NotFoundError'), texts.voiceMissing],
  [new DOMException('No.', 'NotReadableError'), texts.voiceMissing],
  [new TypeError('Failed to fetch'), texts.outage],
  [refusal(402), texts.resting],
  [refusal(429, 'visitor_usd_per_day', 3_600), texts.resting],
  [refusal(429, 'voice_sessions_per_visitor', 30), texts.voiceElsewhere],
  [refusal(429, 'voice_sessions_per_bot', 30), 'Many people are writing. Please try again in 1 minute.'],
  [refusal(429, 'visitor_messages_per_hour', 290), 'Many people are writing. Please try again in 5 minutes.'],
  [refusal(503), texts.outage],
])('explains why there is no call: %s', (error, said) => {
  expect(explainFailure(error, texts, 'en')).toBe(said);
});
