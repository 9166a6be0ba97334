import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelFiles, modelFiles } from './model-files.ts';
import type { Alphabet } from './speakable-text.ts';

export interface ProgramVoice {
  id: string;
  name: string;
  language: string;
  gender: string;
}

/** A program that speaks what it reads on its standard input, as a WAV file on its standard output. */
export interface SpeechProgram {
  name: 'flite' | 'espeak-ng';
  /** `voice` is one of `voices`: flite would fetch others from the network. */
  parameters(voice: string): string[];
  alphabet: Alphabet;
  /** The first one is the default. */
  voices: readonly [ProgramVoice, ...ProgramVoice[]];
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

/** The better one comes first: its first voice is the default, and the others speak the languages that it does not. */
const speechPrograms: readonly SpeechProgram[] = [flite, espeak];

export interface InstalledProgram extends SpeechProgram {
  path: string;
}

/** Which parts of speech without a key are installed. */
export interface InstalledSpeech {
  speaks: boolean;
  listens: boolean;
  /** For the operator: what was found, and how to get the rest. */
  why: string;
  /** The better one comes first. */
  programs: readonly InstalledProgram[];
  models: ModelFiles | undefined;
}

/** Where systems install programs: Linux, and the package managers of macOS. */
const usualProgramFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', '/opt/local/bin'];

/** Looks for a few files and loads nothing: it takes less than a millisecond. */
export function findInstalledSpeech(folders: {
  /** Where the packages of the models were unpacked. */
  modelFolder: string;
  programFolders?: readonly string[];
}): InstalledSpeech {
  const { programFolders = usualProgramFolders, modelFolder } = folders;
  const programs = speechPrograms.flatMap((program) => {
    const path = programFolders.map((folder) => join(folder, program.name)).find(isExecutable);
    return path ? [{ ...program, path }] : [];
  });
  const speaks = programs.length > 0;
  const files = modelFiles(modelFolder);
  const models = Object.values(files).every((file) => existsSync(file)) ? files : undefined;
  const missing = [
    ...(speaks ? [] : ['neither flite nor espeak-ng was found']),
    ...(models ? [] : ['the model that listens is not installed']),
  ];
  const why =
    missing.length === 0
      ? `${programs.map(({ name }) => name).join(' and ')} can speak, and Moonshine listens.`
      : `Speech without a key: ${missing.join(', and ')}. Run npm run voice:install, then restart the service.`;
  return { speaks, listens: models !== undefined, why, programs, models };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not in this folder: the next one may have it.
    return false;
  }
}
