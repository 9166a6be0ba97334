// npm test [-- VITEST ARGUMENTS]: installs what the tests need, then runs them on the project's own Node 24.
import {
  baresip,
  bubblewrap,
  buildah,
  chromium,
  ensureDebianPackages,
  espeak,
  flite,
  kamailio,
  mmdebstrap,
  pgbouncer,
  redisServer,
  ripgrep,
  sipTester,
} from './lib/debian-packages.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { withInstallLock } from './lib/install-lock.mjs';
import { main, projectNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';
import { ensureVoicePackages } from './lib/voice-packages.mjs';

const browserAndServers = [chromium, redisServer, pgbouncer];
const ofMachines = [bubblewrap, ripgrep];
const ofCalls = [flite, espeak, baresip, sipTester, kamailio];
/** Only full runs build the image. */
const ofTheImage = process.env.SVC_TEST_FULL === '1' ? [buildah, mmdebstrap] : [];

await main(async () => {
  await ensureInstalled({ development: true });
  await withInstallLock(() =>
    ensureDebianPackages([...browserAndServers, ...ofMachines, ...ofCalls, ...ofTheImage]),
  );
  await ensureVoicePackages();
  return runProgram(projectNode, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
});
