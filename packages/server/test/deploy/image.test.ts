import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { isFull } from '../support/sample.ts';
import { createCall } from '../support/test-app.ts';

const run = promisify(execFile);
const project = resolve(import.meta.dirname, '../../../..');
const base = 'docker.io/library/node:24-bookworm-slim';
/** As the base image leaves them out. */
const withoutTexts = ['doc', 'man', 'locale', 'info'].map(
  (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
);
const user = 10_001;

let folder: string;
async function buildah(...args: string[]): Promise<string> {
  const storage = [
    '--storage-driver',
    'vfs',
    '--root',
    join(folder, 'root'),
    '--runroot',
    join(folder, 'run'),
  ];
  const { stdout } = await run('buildah', [...storage, ...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

/** Debian, Node and npm under the name of the image that the Dockerfile starts from. */
async function makeBase(): Promise<void> {
  const debian = join(folder, 'debian.tar');
  const packages = '--include=ca-certificates,libstdc++6';
  await run('mmdebstrap', ['--quiet', '--variant=minbase', packages, ...withoutTexts, 'bookworm', debian]);
  const container = await buildah('from', 'scratch');
  await buildah('add', container, debian, '/');
  await buildah('copy', container, process.execPath, '/usr/local/bin/node');
  const { stdout } = await run('sh', ['-c', 'realpath "$(command -v npm)"']);
  const npm = resolve(stdout.trim(), '../..');
  await buildah('copy', container, npm, '/usr/local/lib/node_modules/npm');
  const mounted = await buildah('mount', container);
  const programs = join(mounted, 'usr/local/bin');
  await run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(programs, 'npm')]);
  await run('rm', ['-rf', join(mounted, 'var/lib/apt/lists'), join(mounted, 'var/cache/apt')]);
  await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container);
  await buildah('commit', '--quiet', '--rm', container, base);
}

/** Answers the folder of a container's files. npm and apt-get reach their servers in there as they do here. */
async function build(variants: string[]): Promise<string> {
  const image = `svc-${variants.length}`;
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry']);
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  const settings = [`registry=${registry.trim()}`, ...(authorities ? [`cafile=${authorities}`] : [])];
  await writeFile(join(folder, 'npmrc'), `${settings.join('\n')}\nfetch-retries=0\n`);
  const isolation = ['--isolation', 'chroot', '--network', 'host', '--pull-never'];
  const registryAccess = [
    '--volume=/etc/ssl/certs:/etc/ssl/certs:ro',
    '--volume=/etc/apt:/etc/apt:ro',
    `--volume=${folder}/npmrc:/root/.npmrc:ro`,
  ];
  const options = ['--layers', '--format', 'docker', ...variants.map((name) => `--build-arg=${name}=yes`)];
  const file = ['--file', join(project, 'deploy/Dockerfile'), '--tag', image, project];
  await buildah('build', ...isolation, ...registryAccess, ...options, ...file);
  return buildah('mount', await buildah('from', '--pull-never', `localhost/${image}`));
}

/** As a container runtime would: another user, no variables of ours, and nothing writable but /data and /tmp. */
function start(files: string, port: number): ChildProcess {
  const data = join(folder, 'data');
  const script = `set -e
    mount --bind ${files} ${files}; mount -o remount,ro,bind ${files}
    mount -t tmpfs tmpfs ${files}/tmp; mount --bind ${data} ${files}/data
    mount --rbind /dev ${files}/dev; mount -t proc proc ${files}/proc
    exec chroot --userspec ${user}:${user} ${files} /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin \\
      HOST=127.0.0.1 PORT=${port} SVC_DATA_DIR=/data NODE_ENV=production svc start`;
  return spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Building takes minutes, of a busy machine many, and needs root: only full runs do. */
const options = { shuffle: false, timeout: 60 * 60_000 };
describe.runIf(isFull && process.getuid?.() === 0)('the image', options, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-image-'));
    await makeBase();
  });
  afterAll(async () => {
    await buildah('umount', '--all');
    await rm(folder, { recursive: true, force: true });
  });

  it('is below 400 MB without a database', async () => {
    const files = await build([]);
    const { stdout } = await run('du', ['--summarize', '--block-size=1000000', files]);
    expect(Number.parseInt(stdout, 10)).toBeLessThan(400);
  });

  it('runs as another user with a read-only root, answers, and ends', async () => {
    const files = await build(['EMBEDDED_DATABASE', 'LOCAL_SPEECH']);
    const data = join(folder, 'data');
    await mkdir(data);
    await chown(data, user, user);
    const port = await freePort();
    const container = start(files, port);
    try {
      let output = '';
      container.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await expect.poll(() => output).toContain('svc is ready');
      expect(output).toContain('embedded, in /data');
      const call = createCall(`http://127.0.0.1:${port}`, await readFile(join(data, 'first-key'), 'utf8'));
      const text = { content_type: 'text', title: 'House', content: 'Breakfast is served on the terrace.' };
      const { body: source } = await call('POST /api/v1/knowledge', { body: text });
      const isIndexed = async () => (await call(`GET /api/v1/knowledge/${source.id}`)).body.processing_status;
      await expect.poll(isIndexed).toBe('completed');
      const found = await call('POST /api/v1/knowledge/search', {
        body: { query: 'Where is breakfast served?' },
      });
      expect(found).toMatchObject({
        status: 200,
        body: [{ title: 'House', vector_score: expect.any(Number) }],
      });
      const { body: catalog } = await call('GET /api/v1/voice/catalog');
      expect(catalog.voices).toContainEqual(expect.objectContaining({ id: 'local/slt' }));
      expect((await call('GET /api/v1/voice/catalog/sample?voice=local/slt')).status).toBe(200);

      const { stdout } = await run('pgrep', ['--parent', String(container.pid)]);
      const ended = once(container, 'exit');
      process.kill(Number.parseInt(stdout, 10), 'SIGTERM');
      // It would be 1 if something had to be left behind to end within ten seconds.
      expect(await ended).toEqual([0, null]);
    } finally {
      container.kill('SIGKILL');
    }
  });
});
