import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem, say } from './project.mjs';
import { runProgram } from './run-program.mjs';

/** What npm cannot bring. `program`, or `file` if it is not on the PATH, proves that the package is there. */
export const chromium = {
  name: 'chromium-headless-shell',
  program: 'chromium-headless-shell',
  purpose: 'the browser that opens the console and the widget',
};
export const redisServer = {
  name: 'redis-server',
  program: 'redis-server',
  purpose: 'the server that connects several nodes',
};
export const pgbouncer = {
  name: 'pgbouncer',
  program: 'pgbouncer',
  purpose: 'the pooler in front of a PostgreSQL server',
};

export const bubblewrap = {
  name: 'bubblewrap',
  program: 'bwrap',
  purpose: 'the sandbox that commands on a paired machine run in',
};
export const ripgrep = {
  name: 'ripgrep',
  program: 'rg',
  purpose: 'the program that searches files on a paired machine',
};

export const flite = {
  name: 'flite',
  program: 'flite',
  purpose: 'the program that speaks without a key',
};

export const espeak = {
  name: 'espeak-ng',
  program: 'espeak-ng',
  purpose: 'the program that speaks other languages than English without a key',
};

export const baresip = {
  name: 'baresip-core',
  program: 'baresip',
  purpose: 'the telephone that calls bots and is called by them',
};
export const sipTester = {
  name: 'sip-tester',
  program: 'sipp',
  purpose: 'the program that makes many calls at once',
};
export const kamailio = {
  name: 'kamailio',
  program: 'kamailio',
  purpose: 'the SIP server that bots register with',
};

export const buildah = { name: 'buildah', program: 'buildah', purpose: 'the program that builds the image' };
export const mmdebstrap = {
  name: 'mmdebstrap',
  program: 'mmdebstrap',
  purpose: 'the program that makes what the image is built on',
};
export const caddy = { name: 'caddy', program: 'caddy', purpose: 'the proxy of the compose file' };
export const nginx = { name: 'nginx-light', program: 'nginx', purpose: 'another proxy' };
export const postgres15 = {
  name: 'postgresql-15',
  file: '/usr/lib/postgresql/15/bin/postgres',
  purpose: 'the database of the compose file',
};
export const curl = { name: 'curl', program: 'curl', purpose: 'the client of the proxies' };
export const systemd = {
  name: 'systemd',
  program: 'systemd-analyze',
  purpose: 'the program that checks units',
};
export const go = { name: 'golang-go', program: 'go', purpose: 'the compiler for what renders the chart' };
const goPackages = '/usr/share/gocode/src';
export const sprig = {
  name: 'golang-github-masterminds-sprig-dev',
  file: `${goPackages}/github.com/Masterminds/sprig`,
  purpose: 'the functions of its templates',
};
export const goYaml = {
  name: 'golang-k8s-sigs-yaml-dev',
  file: `${goPackages}/sigs.k8s.io/yaml`,
  purpose: 'their YAML',
};

/** Tests start and stop what the packages contain: no service may start automatically when they are installed. */
const installScript = `
set -e
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update
apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
`;

/** Installs the packages whose program is missing, as root or through sudo; otherwise says what to install. */
export async function ensureDebianPackages(packages) {
  const missing = packages.filter((one) => !isThere(one));
  if (missing.length === 0) return;
  for (const { name, purpose } of missing) say(`missing: ${name} (${purpose})`);
  const names = missing.map(({ name }) => name);
  const asRoot = waysToBeRoot().find((prefix) => isOnPath('apt-get') && works([...prefix, 'true']));
  if (!asRoot) {
    throw new Problem(
      `please install ${names.join(', ')} and try again. On Debian and Ubuntu:\n` +
        `  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names.join(' ')}`,
    );
  }
  say(`installing with apt-get: ${names.join(', ')} …`);
  const [command, ...args] = [...asRoot, 'sh', '-c', installScript, 'sh', ...names];
  const code = await runProgram(command, args, { stdio: ['ignore', process.stderr.fd, process.stderr.fd] });
  if (code !== 0) throw new Problem(`apt-get failed (exit code ${code}). Its words are above.`);
  const still = missing.filter((one) => !isThere(one));
  if (still.length > 0)
    throw new Problem(`still not found: ${still.map(({ program, file }) => program ?? file).join(', ')}`);
}

const isThere = ({ program, file }) => (file ? existsSync(file) : isOnPath(program));

function waysToBeRoot() {
  return process.getuid?.() === 0 ? [[]] : [['sudo', '-n']];
}

function works([command, ...args]) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** Debian installs servers into a folder that only root has on the PATH. */
const foldersOfServers = ['/usr/sbin'];

export function isOnPath(program) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...foldersOfServers];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      // Not in this folder: the next one may have it.
      return false;
    }
  });
}
