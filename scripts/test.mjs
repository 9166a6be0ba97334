// npm test [-- VITEST ARGUMENTS]: installs what the tests need, then runs them on the project's own Node 24.
import {
  baresip,
  bubblewrap,
  buildah,
  caddy,
  chromium,
  curl,
  ensureDebianPackages,
  espeak,
  flite,
  go,
  goYaml,
  kamailio,
  mmdebstrap,
  nginx,
  pgbouncer,
  postgres15,
  redisServer,
  ripgrep,
  sipTester,
  sprig,
  systemd,
} from './lib/debian-packages.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { withInstallLock } from './lib/install-lock.mjs';
import { main, projectNode } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';
import { ensureVoicePackages } from './lib/voice-packages.mjs';

const browserAndServers = [chromium, redisServer, pgbouncer];
const ofMachines = [bubblewrap, ripgrep];
const ofCalls = [flite, espeak, baresip, sipTester, kamailio];
/** Only full runs build the image, render the chart and start what the compose file starts. */
const ofFullRuns = [buildah, mmdebstrap, caddy, nginx, postgres15, curl, systemd, go, sprig, goYaml];
const ofDeploying = process.env.SVC_TEST_FULL === '1' ? ofFullRuns : [];

await main(async () => {
  await ensureInstalled({ development: true });
  await withInstallLock(() =>
    ensureDebianPackages([...browserAndServers, ...ofMachines, ...ofCalls, ...ofDeploying]),
  );
  await ensureVoicePackages();
  return runProgram(projectNode, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
});
