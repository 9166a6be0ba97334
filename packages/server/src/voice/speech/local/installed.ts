import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelFiles, modelFiles, usualModelFolder } from '../../local-models/model-files.ts';
import { type SpeechProgram, speechPrograms } from './speech-programs.ts';

export interface InstalledProgram extends SpeechProgram {
  path: string;
}

/** What there is of speech without a key. */
export interface InstalledSpeech {
  speaks: boolean;
  listens: boolean;
  /** For the operator: what was found, and how to get the rest. */
  why: string;
  program: InstalledProgram | undefined;
  models: ModelFiles | undefined;
}

export interface PlacesToLook {
  programFolders?: readonly string[];
  modelFolder?: string;
}

/** Where systems install programs: Linux, and the package managers of macOS. */
const usualProgramFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', '/opt/local/bin'];

/** Looks for a few files and loads nothing: it takes less than a millisecond. */
export function findInstalledSpeech(places: PlacesToLook = {}): InstalledSpeech {
  const { programFolders = usualProgramFolders, modelFolder = usualModelFolder } = places;
  const program = findProgram(programFolders);
  const files = modelFiles(modelFolder);
  const models = Object.values(files).every((file) => existsSync(file)) ? files : undefined;
  const missing = [
    ...(program ? [] : ['neither flite nor espeak-ng was found']),
    ...(models ? [] : ['the model that listens is not installed']),
  ];
  const why =
    missing.length === 0
      ? `${program?.name} speaks, and Moonshine listens.`
      : `Speech without a key: ${missing.join(', and ')}. Run npm run voice:install, then restart the service.`;
  return { speaks: program !== undefined, listens: models !== undefined, why, program, models };
}

function findProgram(folders: readonly string[]): InstalledProgram | undefined {
  for (const program of speechPrograms) {
    const path = folders.map((folder) => join(folder, program.name)).find(isExecutable);
    if (path) return { ...program, path };
  }
  return undefined;
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
