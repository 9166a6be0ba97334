import { expect, it } from 'vitest';
import { describeVoice, groupVoices, providersWithoutVoices, splitVoiceId } from './catalog-groups.ts';

const voices = [
  { id: 'elevenlabs/r1', name: 'Rachel', language: 'en', gender: 'female' },
  { id: 'elevenlabs/k2', name: 'Klaus', language: 'de', gender: 'male' },
  { id: 'local/slt', name: 'slt', language: null, gender: null },
];
const idsOf = (search: string) =>
  groupVoices(voices, search).flatMap((group) => group.voices.map(({ id }) => id));

it('groups voices by provider', () => {
  expect(groupVoices(voices, '').map(({ provider }) => provider)).toEqual(['elevenlabs', 'local']);
  expect(splitVoiceId('local/a/b')).toEqual({ provider: 'local', voice: 'a/b' });
});

it('names providers that can speak and have no voices in the list', () => {
  expect(providersWithoutVoices(['elevenlabs', 'cartesia', 'local'], voices)).toEqual(['cartesia']);
});

it('finds voices by name, language, gender and id', () => {
  expect(idsOf('german male')).toEqual(['elevenlabs/k2']);
  expect(idsOf('male')).toEqual(['elevenlabs/k2']);
  expect(idsOf('RACH')).toEqual(['elevenlabs/r1']);
  expect(idsOf('slt')).toEqual(['local/slt']);
  expect(idsOf('nobody')).toEqual([]);
});

it('describes a voice, also one whose language has no name', () => {
  expect(voices.map(describeVoice)).toEqual([
    'ElevenLabs · English · female',
    'ElevenLabs · German · male',
    'On this service',
  ]);
  expect(describeVoice({ id: 'x/y', name: 'y', language: 'not a tag', gender: null })).toBe('x · not a tag');
});
