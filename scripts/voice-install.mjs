// npm run voice:install: speech without a key. Installs a program that speaks and a model that listens, then tries both.
import { ensureInstalled } from './lib/install.mjs';
import { withInstallLock } from './lib/install-lock.mjs';
import { main, projectNode, say } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';
import { ensureSpeechProgram } from './lib/speech-program.mjs';
import { ensureVoicePackages } from './lib/voice-packages.mjs';

await main(async () => {
  await ensureInstalled();
  if (await ensureVoicePackages()) say('the model that listens was there already.');
  const program = await withInstallLock(ensureSpeechProgram);
  say(`the program that speaks is ${program}. Trying both …`);
  const code = await runProgram(projectNode, ['packages/server/src/voice/speech/local/try-speech.ts']);
  if (code === 0)
    say('done: calls can use the speech provider `local`. A running service has to be restarted.');
  return code;
});
