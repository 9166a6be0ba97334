import { ensureDebianPackages, flite, isOnPath } from './debian-packages.mjs';
import { Problem } from './project.mjs';

/** The programs that the service can speak with, the better one first. */
const programs = ['flite', 'espeak-ng'];

/** Answers with the program that is there, or was installed. */
export async function ensureSpeechProgram() {
  const found = programs.find(isOnPath);
  if (found) return found;
  if (process.platform === 'darwin') {
    throw new Problem('please install flite and try again: brew install flite (or brew install espeak-ng)');
  }
  if (process.platform === 'win32') {
    throw new Problem(
      'please install espeak-ng and try again: https://github.com/espeak-ng/espeak-ng/releases',
    );
  }
  await ensureDebianPackages([flite]);
  return flite.program;
}
