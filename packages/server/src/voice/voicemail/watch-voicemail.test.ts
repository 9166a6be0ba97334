import { pcmToMulaw } from '@svc/sip/g711';
import { expect, test } from 'vitest';
import { encodeAudio } from '../audio/line-audio.ts';
import { createBeepFinder } from './find-beep.ts';
import { createVoicemailEar } from './watch-voicemail.ts';

const sampleRate = 8_000;
type Wave = (seconds: number) => number;
const sine = (frequency: number, amplitude = 6_000): Wave => {
  return (at) => amplitude * Math.sin(2 * Math.PI * frequency * at);
};
const samplesOf = (milliseconds: number, ...waves: Wave[]) =>
  Int16Array.from({ length: milliseconds * 8 }, (_value, index) =>
    Math.round(waves.reduce((sum, wave) => sum + wave(index / sampleRate), 0)),
  );
const isBeep = (samples: Int16Array) => {
  const find = createBeepFinder(sampleRate);
  for (let at = 0; at + 160 <= samples.length; at += 160)
    if (find(samples.subarray(at, at + 160))) return true;
  return false;
};

test.each([425, 440, 800, 1_000, 1_400, 2_000])('a tone of %i Hz is a beep', (frequency) => {
  expect(isBeep(samplesOf(400, sine(frequency)))).toBe(true);
});

test.each([
  ['a short one', samplesOf(200, sine(1_000))],
  ['a very quiet one', samplesOf(400, sine(1_000, 300))],
  ['a key', samplesOf(400, sine(770), sine(1_336))],
  ['a hum', samplesOf(1_000, sine(50))],
  ['a vowel', samplesOf(1_000, sine(220, 3_000), sine(440, 4_000), sine(660, 3_000), sine(880, 1_500))],
  [
    'a voice that falls',
    samplesOf(1_000, (at) => 6_000 * Math.sin(2 * Math.PI * (900 * at - 300 * at * at))),
  ],
  ['noise', samplesOf(1_000, (at) => 6_000 * Math.sin(at * 1e7) * Math.cos(at * 3.3e6))],
  ['silence', samplesOf(1_000)],
])('%s is not', (_name, samples) => {
  expect(isBeep(samples)).toBe(false);
});

/** What is noticed of seconds that are speech or silence. */
function hear(pattern: string, beep = false) {
  const outcome: string[] = [];
  let isSpeech = false;
  const ear = createVoicemailEar('mulaw-8000', {
    isSpeech: () => isSpeech,
    onVoicemail: (why) => outcome.push(why.includes('beep') ? 'beep' : 'greeting'),
    onDone: () => outcome.push('done'),
  });
  const quiet = Buffer.alloc(160, 0xff);
  for (const half of pattern) {
    isSpeech = half === 's';
    for (let frame = 0; frame < 25; frame += 1) ear(quiet);
  }
  const tone = pcmToMulaw(samplesOf(500, sine(1_000)));
  if (beep) for (let at = 0; at < tone.length; at += 160) ear(tone.subarray(at, at + 160));
  return outcome;
}

test('a machine is known by its long greeting or its beep, once', () => {
  // Each letter is half a second.
  expect(hear(`..${'ssss.'.repeat(8)}`, true)).toEqual(['done', 'greeting']);
  expect(hear('..sssss', true)).toEqual(['done', 'beep']);
});

test('a quiet beep is heard in the noise of a wideband call', () => {
  const outcome: string[] = [];
  const ear = createVoicemailEar('pcm16-16000', {
    isSpeech: () => false,
    onVoicemail: (why) => outcome.push(why),
    onDone: () => undefined,
  });
  const noise: Wave = (at) => 60 * Math.sin(at * 1e7) * Math.cos(at * 3.3e6) + 60 * Math.sin(at * 7.7e6);
  const wave = sine(425, 1_500);
  const samples = Int16Array.from({ length: 400 * 16 }, (_value, index) =>
    Math.round(wave(index / 16_000) + noise(index / 16_000)),
  );
  const audio = encodeAudio('pcm16-16000', samples);
  for (let at = 0; at < audio.length; at += 640) ear(audio.subarray(at, at + 640));
  expect(outcome).toEqual(['A beep was heard, as of an answering machine.']);
});

test('people are not machines', () => {
  expect(hear(`.sss.....${'s'.repeat(40)}`)).toEqual([]);
  expect(hear('.ssssssss...ssssssss...')).toEqual([]);
  expect(hear(`.ss${'.'.repeat(130)}`, true)).toEqual(['done']);
});
