import type { Voice } from '../speech.ts';
import type { Alphabet } from './speakable-text.ts';

/** A program that speaks what it reads on its standard input, as a WAV file on its standard output. */
export interface SpeechProgram {
  name: 'flite' | 'espeak-ng';
  /** `voice` is one of `voices`: flite would fetch others from the network. */
  parameters(voice: string): string[];
  alphabet: Alphabet;
  /** The first one is the default. */
  voices: readonly [Voice, ...Voice[]];
}

const flite: SpeechProgram = {
  name: 'flite',
  parameters: (voice) => ['-voice', voice, '-f', '/dev/stdin', '-o', '/dev/stdout'],
  alphabet: 'ascii',
  voices: [
    { id: 'slt', name: 'Susan', language: 'en-US', gender: 'female' },
    { id: 'rms', name: 'Richard', language: 'en-US', gender: 'male' },
    { id: 'awb', name: 'Alan', language: 'en-GB', gender: 'male' },
    { id: 'kal16', name: 'Kevin', language: 'en-US', gender: 'male' },
    { id: 'kal', name: 'Kevin, narrow band', language: 'en-US', gender: 'male' },
  ],
};

const espeak: SpeechProgram = {
  name: 'espeak-ng',
  parameters: (voice) => ['-v', voice, '--stdin', '--stdout'],
  alphabet: 'unicode',
  voices: [
    { id: 'en-us', name: 'English (America)', language: 'en-US', gender: 'male' },
    { id: 'en-gb', name: 'English (Great Britain)', language: 'en-GB', gender: 'male' },
    { id: 'de', name: 'German', language: 'de', gender: 'male' },
    { id: 'es', name: 'Spanish', language: 'es', gender: 'male' },
    { id: 'fr-fr', name: 'French', language: 'fr', gender: 'male' },
    { id: 'it', name: 'Italian', language: 'it', gender: 'male' },
    { id: 'nl', name: 'Dutch', language: 'nl', gender: 'male' },
    { id: 'pl', name: 'Polish', language: 'pl', gender: 'male' },
    { id: 'pt-br', name: 'Portuguese (Brazil)', language: 'pt-BR', gender: 'male' },
  ],
};

/** The better one first. */
export const speechPrograms: readonly SpeechProgram[] = [flite, espeak];
