import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperationFrame, Outcome, PreviewedChange } from '@svc/contract/machine-protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type DaemonOptions,
  type MachineDaemon,
  makeRoot,
  startDaemon,
} from '../../server/test/support/machine-daemon.ts';
import { isSandboxPossible } from './support/sandbox-possible.ts';
import {
  type Link,
  operationFrame,
  startTestService,
  type TestService,
  testKey,
} from './support/test-service.ts';

/** The test is a service that was taken over: it sends what nobody approved to a real daemon. */
let service: TestService;
let root: Awaited<ReturnType<typeof makeRoot>>;
let daemon: MachineDaemon;
let link: Link;
/** Those that several tests use, by their arguments. */
const shared = new Map<string, { daemon: MachineDaemon; link: Link }>();
let own: MachineDaemon | undefined;

beforeAll(async () => {
  [service, root] = [await startTestService(), await makeRoot()];
});
beforeEach(async () => {
  for (const name of await readdir(root.path)) await rm(join(root.path, name), { recursive: true });
  await writeFile(join(root.path, 'a.txt'), 'old\n');
  await writeFile(join(root.path, '.env'), 'TOKEN=hunter2\n');
  await writeFile(join(root.path, '.env.example'), 'TOKEN=\n');
  await mkdir(join(root.path, '.aws'));
  await writeFile(join(root.path, '.aws', 'config'), 'TOKEN=hunter2\n');
  await symlink('.env', join(root.path, 'settings'));
});
afterEach(async () => {
  await own?.discard();
  own = undefined;
});
afterAll(async () => {
  for (const one of shared.values()) await one.daemon.discard();
  await service.close();
  await root.remove();
});

/** A daemon of the test alone. */
async function start(args: string[], options: Partial<DaemonOptions> = {}): Promise<void> {
  daemon = await startDaemon({ url: service.url, key: testKey, roots: [root.path], args, ...options });
  own = daemon;
  link = await service.accept();
}

/** A daemon for all tests with these arguments. */
async function use(args: string[]): Promise<void> {
  const name = args.join(' ');
  if (!shared.has(name)) {
    await start(args);
    own = undefined;
    shared.set(name, { daemon, link });
  }
  ({ daemon, link } = shared.get(name) ?? { daemon, link });
}

type Sent = Partial<OperationFrame> & Pick<OperationFrame, 'name'>;
const perform = (operation: Sent): Promise<Outcome> =>
  link.perform({ id: randomUUID(), workdir: root.path, ...operation });
const unapproved = { approval: undefined } as unknown as Partial<OperationFrame>;

const write: Sent = { name: 'write_file', arguments: { path: 'a.txt', content: 'new\n' } };
const edit: Sent = { name: 'edit_file', arguments: { path: 'a.txt', old_text: 'old', new_text: 'new' } };
const patch: Sent = {
  name: 'apply_patch',
  arguments: { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n' },
};
const run: Sent = { name: 'run_command', arguments: { command: 'echo new > a.txt' } };
const read: Sent = { name: 'read_file', arguments: { path: 'a.txt' } };
const revert: Sent = { name: 'revert', arguments: { operation_ids: [randomUUID()] } };
const startProcess: Sent = { name: 'start_process', arguments: { command: 'echo new > a.txt' } };
const effects = [write, edit, patch, run, startProcess, revert];
const listed = ['echo hi', 'cat a.txt', 'ls *', 'pwd'].reduce(
  (args, command) => [...args, '--allow', command],
  ['--policy', 'allow-listed'],
);
const content = () => readFile(join(root.path, 'a.txt'), 'utf8');

describe('--policy read-only', () => {
  it('changes and runs nothing, approved or not', async () => {
    await start(['--policy', 'read-only']);
    expect(link.hello).toMatchObject({ policy: 'read-only', runs_commands: false });
    const refused = { status: 'error', message: expect.stringContaining('only read') };
    for (const operation of effects) {
      expect(await perform(operation)).toEqual(refused);
      expect(await perform({ ...operation, ...unapproved })).toEqual(refused);
    }
    const { name, arguments: given } = write;
    expect(await perform({ name: 'preview', arguments: { operation: name, arguments: given } })).toEqual(
      refused,
    );
    expect(await content()).toBe('old\n');
    expect(await perform({ ...read, ...unapproved })).toMatchObject({ status: 'ok' });
  });
});

describe('a command that needs the network', () => {
  it('is asked about even if it is on the list, unless all commands have the network', async () => {
    const wanted = { name: 'run_command' as const, arguments: { command: 'echo hi', network: true } };
    const refused = { status: 'error', message: expect.stringContaining('a person approves this first') };
    await use(listed);
    expect(await perform({ ...wanted, ...unapproved })).toEqual(refused);
    expect(await perform({ ...wanted, name: 'start_process', ...unapproved })).toEqual(refused);
    expect(await perform({ ...wanted, arguments: { command: 'echo hi' }, ...unapproved })).toMatchObject({
      status: 'ok',
    });
    expect(await perform(wanted)).toMatchObject({ status: 'ok' });
    await start([...listed, '--allow-network=host']);
    expect(await perform({ ...wanted, ...unapproved })).toMatchObject({ status: 'ok' });
  });
});

describe('--policy ask, which is the default', () => {
  it('changes and runs nothing that is not marked as approved', async () => {
    await use([]);
    expect(link.hello).toMatchObject({ policy: 'ask', confirmation: 'service', runs_commands: true });
    for (const operation of effects)
      expect(await perform({ ...operation, ...unapproved })).toEqual({
        status: 'error',
        message: expect.stringContaining('requires that a person approves'),
      });
    expect(await content()).toBe('old\n');
    expect(await perform({ ...read, ...unapproved })).toMatchObject({ status: 'ok' });
    expect(await perform(write)).toMatchObject({ status: 'ok' });
    expect(await content()).toBe('new\n');
  });

  it('with --confirm terminal believes only the person at the machine, whatever the service says', async () => {
    await start(['--confirm', 'terminal'], { hasInput: true });
    expect(link.hello).toMatchObject({ policy: 'ask', confirmation: 'terminal' });
    const first = perform(write);
    await daemon.printed(/QUESTION 1: write a\.txt[\s\S]*content: new[\s\S]*Type "yes 1"/);
    daemon.child.stdin?.write('yes 2\n');
    expect(await first).toMatchObject({ status: 'error', message: expect.stringContaining('did not allow') });
    expect(await content()).toBe('old\n');

    const second = perform(write);
    await daemon.printed(/Type "yes 2"/);
    daemon.child.stdin?.write('yes 2\n');
    expect(await second).toMatchObject({ status: 'ok' });
    expect(await content()).toBe('new\n');

    const third = perform(run);
    await daemon.printed(/Type "yes 3"/);
    daemon.child.stdin?.end();
    expect(await third).toMatchObject({ status: 'error' });
    expect(await perform(run)).toMatchObject({ status: 'error' });
  });

  it('shows a command to its end before it takes a yes, and refuses one that is too long for that', async () => {
    await start(['--confirm', 'terminal'], { hasInput: true });
    const command = `echo hi${' '.repeat(1500)}; echo new > a.txt`;
    const padded = perform({ name: 'run_command', arguments: { command } });
    await daemon.printed(/Type "yes 1"/);
    expect(daemon.output()).toContain('command: echo hi [1500 spaces] ; echo new > a.txt');
    expect(daemon.output()).toContain(`working directory: ${root.path}`);
    daemon.child.stdin?.write('no\n');
    expect(await padded).toMatchObject({ status: 'error' });

    const long = perform({ name: 'run_command', arguments: { command: `${'echo hi\n'.repeat(150)}ls` } });
    await daemon.printed(/echo hi[\s\S]*ls[\s\S]*Read all 152 rows[\s\S]*Type "yes 2"/);
    daemon.child.stdin?.write('yes 2\n');
    expect(await long).toMatchObject({ status: 'ok' });

    const given = { path: 'a.txt', content: 'new\n'.repeat(1000) };
    expect(await perform({ ...write, arguments: given })).toEqual({
      status: 'error',
      message: expect.stringContaining('too long to be shown'),
    });
    expect(await content()).toBe('old\n');
    expect(daemon.output()).not.toContain('QUESTION 3');
  });

  it('withdraws a question that the service cancels', async () => {
    await start(['--confirm', 'terminal'], { hasInput: true });
    const id = randomUUID();
    const asked = perform({ ...write, id });
    await daemon.printed(/Type "yes 1"/);
    link.send({ type: 'cancel', id });
    expect(await asked).toMatchObject({ status: 'error', message: expect.stringContaining('cancelled') });
    const next = perform(run);
    await daemon.printed(/Type "yes 2"/);
    // The answer to the question before it.
    daemon.child.stdin?.write('yes 1\n');
    expect(await next).toMatchObject({ status: 'error' });
    expect(await content()).toBe('old\n');
    // A question that nobody answers does not keep the daemon from stopping.
    link.send(operationFrame({ ...run, id: randomUUID(), workdir: root.path }));
    await daemon.printed(/Type "yes 3"/);
    expect(await daemon.stop()).toBe(0);
  });
});

describe('--policy allow-listed', () => {
  it('runs unasked exactly what the command line names', async () => {
    await use(listed);
    const command = (text: string, more: object = {}): Sent => ({
      ...unapproved,
      name: 'run_command',
      arguments: { command: text, ...more },
    });
    for (const text of ['cat a.txt', 'ls', 'ls -l a.txt'])
      expect(await perform(command(text)), text).toMatchObject({ status: 'ok' });
    for (const text of [
      'cat a.txt b',
      'cat',
      'ls; echo new > a.txt',
      'ls $(touch x)',
      'ls > a.txt',
      'ls\ntouch x',
      'X=1 ls',
      'lsof',
      '/bin/ls',
    ])
      expect(await perform(command(text)), text).toMatchObject({ status: 'error' });
    expect(await perform(command('ls', { path: '.aws' }))).toMatchObject({ status: 'error' });
    expect(await perform({ ...write, ...unapproved })).toMatchObject({ status: 'error' });
    expect(await content()).toBe('old\n');
    expect(await perform(write)).toMatchObject({ status: 'ok' });
  });

  it('runs nothing unasked in a folder below a root, which the service could choose', async () => {
    await mkdir(join(root.path, 'node_modules/evil'), { recursive: true });
    await symlink('node_modules/evil', join(root.path, 'below'));
    await symlink('.', join(root.path, 'same'));
    await use(listed);
    const unasked = (workdir: string): Sent => ({
      ...unapproved,
      name: 'run_command',
      workdir,
      arguments: { command: 'pwd' },
    });
    for (const folder of ['node_modules/evil', 'below', 'node_modules/../below', 'missing']) {
      const sent = unasked(join(root.path, folder));
      expect(await perform(sent), folder).toEqual({
        status: 'error',
        message: expect.stringContaining('requires that a person approves'),
      });
    }
    for (const folder of [root.path, `${root.path}/`, join(root.path, 'same')])
      expect(await perform(unasked(folder)), folder).toMatchObject({ value: { cwd: root.path } });
    const approved = { ...unasked(join(root.path, 'below')), approval: { id: randomUUID(), by: 'member:x' } };
    expect(await perform(approved)).toMatchObject({ value: { cwd: join(root.path, 'node_modules/evil') } });
  });

  it('changes files unasked only with --allow-edits, and never one with secrets', async () => {
    await start(['--policy', 'allow-listed', '--allow-edits']);
    expect(await perform({ ...write, ...unapproved })).toMatchObject({ status: 'ok' });
    expect(await perform({ ...run, ...unapproved })).toMatchObject({ status: 'error' });
    const secret = { ...write, arguments: { path: 'settings', content: 'x' } };
    expect(await perform({ ...secret, ...unapproved })).toMatchObject({ status: 'error' });
    const move = '--- a/.env\n+++ b/plain.txt\n@@ -1 +1 @@\n-TOKEN=hunter2\n+TOKEN=hunter2\n';
    expect(await perform({ ...patch, ...unapproved, arguments: { patch: move } })).toMatchObject({
      status: 'error',
    });
    expect(await readFile(join(root.path, '.env'), 'utf8')).toBe('TOKEN=hunter2\n');
  });
});

describe('files with secrets', () => {
  it.each(['.env', './.env', 'settings', '.aws/config'])('%s is read only with an approval', async (path) => {
    await use([]);
    const reading = { name: 'read_file', arguments: { path } } as const;
    expect(await perform({ ...reading, ...unapproved })).toMatchObject({ status: 'error' });
    const searching = { name: 'search', arguments: { query: 'TOKEN', path } } as const;
    expect(await perform({ ...searching, ...unapproved })).toMatchObject({ status: 'error' });
    expect(await perform(reading)).toMatchObject({ value: { text: 'TOKEN=hunter2\n' } });
  });

  it.each(['.git/config', 'prod.env', 'terraform.tfstate', '.config/gh/hosts.yml', 'id_r\u017fa'])(
    '%s is one of them',
    async (path) => {
      await mkdir(join(root.path, path, '..'), { recursive: true });
      await writeFile(join(root.path, path), 'TOKEN=hunter2\n');
      await symlink(path, join(root.path, 'plain'));
      await use([]);
      for (const name of [path, 'plain'])
        expect(
          await perform({ name: 'read_file', ...unapproved, arguments: { path: name } }),
          name,
        ).toMatchObject({ status: 'error' });
      const approved = await perform({ name: 'read_file', arguments: { path } });
      expect(approved).toMatchObject({ value: { text: 'TOKEN=hunter2\n' } });
    },
  );

  it('are read with --confirm terminal only after a yes of the person at the machine', async () => {
    await start(['--confirm', 'terminal'], { hasInput: true });
    const reading = { name: 'read_file', arguments: { path: '.env' } } as const;
    const refused = perform(reading);
    await daemon.printed(/QUESTION 1: .*\.env[\s\S]*Type "yes 1"/);
    daemon.child.stdin?.write('no\n');
    expect(await refused).toMatchObject({
      status: 'error',
      message: expect.stringContaining('did not allow'),
    });
    const allowed = perform({ ...reading, ...unapproved });
    await daemon.printed(/Type "yes 2"/);
    daemon.child.stdin?.write('yes 2\n');
    expect(await allowed).toMatchObject({ value: { text: 'TOKEN=hunter2\n' } });
  });

  it.each(['with ripgrep', 'without'])('are left out of searches, %s', async (way) => {
    const environment = way === 'without' ? { PATH: '/nowhere' } : undefined;
    await (environment ? start([], { environment }) : use([]));
    for (const path of [undefined, '.aws']) {
      const given = { query: 'TOKEN', ...(path !== undefined && { path }), glob: '*' };
      const found = await perform({ name: 'search', arguments: given });
      expect(JSON.stringify(found)).not.toContain('hunter2');
      if (path === undefined) expect(found).toMatchObject({ value: { matches: [{ path: '.env.example' }] } });
    }
  });

  it('are not shown by a preview either, and cannot be guessed with one', async () => {
    await use([]);
    const preview = (operation: string, given: object) =>
      perform({ name: 'preview', arguments: { operation, arguments: given } });
    const whole = await preview('write_file', { path: '.env', content: '' });
    expect(whole).toMatchObject({ status: 'ok', value: { files: [{ path: '.env' }] } });
    expect(JSON.stringify(whole)).not.toContain('hunter2');
    const guess = (text: string) =>
      preview('edit_file', { path: '.env', old_text: `TOKEN=${text}`, new_text: '' });
    expect(await guess('h')).toEqual(await guess('x'));
    const written = await perform({ ...write, arguments: { path: '.env', content: 'TOKEN=\n' } });
    expect(written).toMatchObject({ status: 'ok' });
    expect(JSON.stringify(written)).not.toContain('hunter2');
  });

  it('cannot be compared with guesses by what a preview says, which still holds after a restart', async () => {
    const secret = 'TOKEN=hunter2\n';
    await writeFile(join(root.path, 'a.txt'), secret);
    await start([]);
    const previewed = async (path: string) => {
      const given = { operation: 'write_file', arguments: { path, content: 'TOKEN=\n' } };
      const outcome = await perform({ name: 'preview', ...unapproved, arguments: given });
      if (outcome.status !== 'ok') throw new Error(outcome.message);
      return (outcome.value as PreviewedChange).basis;
    };
    const basis = await previewed('.env');
    const [{ hash } = {}] = basis.files ?? [];
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    // Neither with what anybody can compute, nor with a file that has the guess in it.
    const path = join(root.path, '.env');
    for (const known of [secret, `${path}\0${secret}`])
      expect(hash).not.toBe(createHash('sha256').update(known).digest('hex'));
    expect((await previewed('a.txt')).files?.[0]?.hash).not.toBe(hash);
    // The instance is all that the service knows of the daemon's state.
    expect(await readFile(join(daemon.stateFolder, 'hash-key'), 'utf8')).not.toBe(link.hello.instance_id);

    const { stateFolder } = daemon;
    await daemon.stop();
    await start([], { stateFolder });
    expect(await previewed('.env')).toEqual(basis);
    const writing: Sent = { ...write, arguments: { path: '.env', content: 'TOKEN=\n' }, basis };
    await writeFile(path, 'TOKEN=changed\n');
    expect(await perform(writing)).toMatchObject({ message: expect.stringContaining('has changed since') });
    await writeFile(path, secret);
    expect(await perform(writing)).toMatchObject({ status: 'ok' });
  });

  it.skipIf(!isSandboxPossible)('are not there for commands in the sandbox', async () => {
    await start([], { isSandboxed: true });
    const command = 'cat .env settings .aws/config .env.example';
    const seen = await perform({ name: 'run_command', arguments: { command } });
    expect(seen).toMatchObject({ value: { output: expect.stringContaining('TOKEN=\n') } });
    expect(JSON.stringify(seen)).not.toContain('hunter2');
  });

  it.skipIf(!isSandboxPossible)('are there for commands with --show-secrets', async () => {
    await start(['--show-secrets'], { isSandboxed: true });
    const seen = await perform({ name: 'run_command', arguments: { command: 'cat .env' } });
    expect(seen).toMatchObject({ value: { output: 'TOKEN=hunter2\n', sandbox: 'bubblewrap' } });
  });
});

it('without a sandbox commands are refused, and files can be read and changed', async () => {
  const environment = { PATH: '/nowhere' };
  await start([], { isSandboxed: true, environment });
  expect(link.hello).toMatchObject({ sandbox: 'none', runs_commands: false });
  const refused = { status: 'error', message: expect.stringMatching(/bubblewrap.*--no-sandbox/s) };
  expect(await perform(run)).toEqual(refused);
  const { name, arguments: given } = run;
  expect(await perform({ name: 'preview', arguments: { operation: name, arguments: given } })).toEqual(
    refused,
  );
  expect(await content()).toBe('old\n');
  expect(await perform(read)).toMatchObject({ status: 'ok' });
  expect(await perform(write)).toMatchObject({ status: 'ok' });
});
