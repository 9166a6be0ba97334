import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { daemonFile } from '../../server/test/support/machine-daemon.ts';
import { startTestService, testKey } from './support/test-service.ts';

const run = promisify(execFile);
const sources = resolve(import.meta.dirname, '..');
/** The oldest Node that is supported, where it is installed; otherwise our own. */
const node = existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath;

let folder: string;
let packed: { files: { path: string }[]; filename: string };

/** Packs a copy, so that no dist is left in the checkout: the daemon's own command would run it from then on. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-package-'));
  const copy = join(folder, 'copy');
  await mkdir(copy);
  for (const name of ['package.json', 'README.md', 'src', 'test', 'bin']) {
    await cp(join(sources, name), join(copy, name), { recursive: true });
  }
  await cp(dirname(daemonFile), join(copy, 'dist'), { recursive: true });
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json'], { cwd: copy });
  packed = (JSON.parse(stdout) as (typeof packed)[])[0] as typeof packed;
  await run('tar', ['xzf', join(copy, packed.filename), '-C', folder]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the published package', () => {
  it('contains the daemon and nothing else', () => {
    expect(packed.files.map(({ path }) => path).toSorted()).toEqual([
      'README.md',
      'bin/svc-machine.mjs',
      'dist/LICENSES.txt',
      'dist/file-worker.mjs',
      'dist/svc-machine.mjs',
      'package.json',
    ]);
  });

  it('needs no other package, contains no server code and is small', async () => {
    const manifest = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
    for (const file of ['svc-machine.mjs', 'file-worker.mjs']) {
      const code = await readFile(join(folder, 'package/dist', file), 'utf8');
      expect(code.length).toBeLessThan(500_000);
      expect(code).not.toMatch(/packages\/server|fastify|drizzle|pg-boss/);
      const imported = [...code.matchAll(/^import .*? from "([^"]+)";$/gm)].map(([, name]) => name);
      expect(imported.filter((name) => !name?.startsWith('node:') && !isBuiltin(name))).toEqual([]);
    }
  });

  it('names the licenses of what it contains', async () => {
    const licenses = await readFile(join(folder, 'package/dist/LICENSES.txt'), 'utf8');
    for (const name of ['@svc/machine', 'commander', 'diff', 'picomatch', 'typebox', 'ws']) {
      expect(licenses).toContain(`\n${name} `);
    }
  });

  it('works on its own with the oldest Node', async () => {
    const service = await startTestService();
    const root = join(folder, 'root');
    await mkdir(root);
    await copyFile(join(folder, 'package/package.json'), join(root, 'a.json'));
    const args = ['connect', '--url', service.url, '--state', join(folder, 'state'), '--root', root];
    const child = execFile(node, [join(folder, 'package/bin/svc-machine.mjs'), ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], SVC_MACHINE_KEY: testKey },
    });
    try {
      const link = await service.accept();
      const id = (last: number) => `0198c2a4-7d10-7c3e-9f4e-00000000000${last}`;
      const perform = (
        last: number,
        name: 'search' | 'write_file' | 'run_command' | 'read_file',
        given: object,
      ) => link.perform({ id: id(last), name, workdir: root, arguments: { ...given } });
      expect(await perform(1, 'search', { query: '"license"' })).toMatchObject({ status: 'ok' });
      expect(await perform(2, 'write_file', { path: 'b.txt', content: 'b\n' })).toMatchObject({
        status: 'ok',
      });
      expect(await perform(3, 'run_command', { command: 'cat b.txt' })).toMatchObject({
        value: { output: 'b\n', exit_code: 0 },
      });
      expect(await perform(4, 'read_file', { path: 'a.json' })).toMatchObject({ value: { start_line: 1 } });
    } finally {
      child.kill('SIGKILL');
      await service.close();
    }
  });
});

function isBuiltin(name: string | undefined): boolean {
  return name !== undefined && process.getBuiltinModule(name) !== undefined;
}
