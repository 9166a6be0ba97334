// npm run voice:install, or svc voice install: speech without a key. Installs the programs that speak and the model that listens, then tries them.
import { join } from 'node:path';
import { ensureInstalled } from './lib/install.mjs';
import { withInstallLock } from './lib/install-lock.mjs';
import { isClone, main, projectFolder, say, usableNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';
import { ensureSpeechPrograms } from './lib/speech-program.mjs';
import { ensureVoicePackages } from './lib/voice-packages.mjs';

const trySpeech = join(
  projectFolder,
  isClone ? 'packages/server/src/voice/speech/local/try-speech.ts' : 'packages/server/dist/try-speech.mjs',
);

await main(async () => {
  if (isClone) await ensureInstalled({ development: false });
  if (await ensureVoicePackages()) say('the model that listens was there already.');
  const programs = await withInstallLock(ensureSpeechPrograms);
  say(`what speaks is ${programs}. Trying to speak and to listen …`);
  const code = await runProgram(usableNode(), [trySpeech]);
  if (code === 0)
    say('done: calls can use the speech provider `local`. A running service has to be restarted.');
  return code;
});
