import { expect, it } from 'vitest';
import { chooseSpeech, type SpeechWishes } from './choose-speech.ts';

const of = (...names: string[]) => names.map((provider) => ({ provider }));
const all = {
  speakers: of('elevenlabs', 'cartesia', 'local'),
  listeners: of('local', 'elevenlabs', 'deepgram'),
};

function choose(wishes: SpeechWishes, available = all) {
  const choice = chooseSpeech(wishes, available);
  if (choice.missing !== undefined) return choice.missing;
  const { speaker, voice = '(default)', listener } = choice;
  return `${speaker.provider} ${voice}, heard by ${listener.provider}`;
}

it.each<[SpeechWishes, string]>([
  [{}, 'local (default)'],
  [{ ttsVoice: 'slt' }, 'local slt'],
  [{ ttsProvider: 'elevenlabs' }, 'elevenlabs (default)'],
  [{ ttsProvider: 'elevenlabs', ttsVoice: 'rachel' }, 'elevenlabs rachel'],
  [{ ttsProvider: 'elevenlabs', ttsVoice: 'cartesia/katie' }, 'cartesia katie'],
  [{ ttsProvider: 'elevenlabs', ttsVoice: 'local/rms' }, 'local rms'],
  [{ ttsProvider: 'elevenlabs', ttsVoice: 'other/rms' }, 'elevenlabs other/rms'],
  [{ ttsProvider: 'elevenlabs', ttsVoice: 'rachel', numberVoice: 'cartesia/katie' }, 'cartesia katie'],
  [{ ttsProvider: 'elevenlabs', ttsVoice: 'cartesia/katie', numberVoice: 'adam' }, 'elevenlabs adam'],
  [{ ttsProvider: null, ttsVoice: null, numberVoice: null }, 'local (default)'],
])('%j speaks as %s', (wishes, expected) => {
  expect(choose(wishes)).toBe(`${expected}, heard by deepgram`);
});

it('listens with what there is, and speaks with a key where nothing is installed', () => {
  const keyed = { speakers: of('elevenlabs'), listeners: of('elevenlabs') };
  expect(choose({ ttsVoice: 'slt' }, keyed)).toBe('elevenlabs (default), heard by elevenlabs');
  const local = { speakers: of('local'), listeners: of('local') };
  expect(choose({}, local)).toBe('local (default), heard by local');
});

it('says what is missing', () => {
  const none = { speakers: of(), listeners: of() };
  expect(choose({}, none)).toMatch(/ELEVENLABS_API_KEY or CARTESIA_API_KEY.*npm run voice:install/);
  expect(choose({ ttsProvider: 'cartesia' }, none)).toMatch(/cartesia: set CARTESIA_API_KEY\.$/);
  expect(choose({ ttsVoice: 'local/slt' }, none)).toMatch(/npm run voice:install/);
  const mute = { speakers: of('cartesia'), listeners: of() };
  expect(choose({}, mute)).toMatch(/DEEPGRAM_API_KEY or ELEVENLABS_API_KEY.*npm run voice:install/);
});
