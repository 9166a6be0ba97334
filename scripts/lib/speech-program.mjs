import { ensureDebianPackages, espeak, flite, isOnPath } from './debian-packages.mjs';
import { Problem, say } from './project.mjs';

/** The programs that the service can speak with: the better one, and the one for other languages than English. */
const programs = [flite, espeak];

/** Answers with the programs that are there, or were installed. One is enough; on Debian both are installed. */
export async function ensureSpeechPrograms() {
  const found = programs.filter(({ program }) => isOnPath(program));
  const names = found.map(({ program }) => program).join(' and ');
  if (found.length === programs.length || (found.length > 0 && !isOnPath('apt-get'))) return names;
  if (process.platform === 'darwin') {
    throw new Problem('please install flite and try again: brew install flite (or brew install espeak-ng)');
  }
  if (process.platform === 'win32') {
    throw new Problem(
      'please install espeak-ng and try again: https://github.com/espeak-ng/espeak-ng/releases',
    );
  }
  try {
    await ensureDebianPackages(programs);
  } catch (error) {
    if (found.length === 0 || !(error instanceof Problem)) throw error;
    say(`continuing with ${names} alone. ${error.message}`);
    return names;
  }
  return programs.map(({ program }) => program).join(' and ');
}
