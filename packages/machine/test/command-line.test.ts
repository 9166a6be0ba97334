import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { daemonFile, startDaemon } from '../../server/test/support/machine-daemon.ts';
import { machineId, startTestService, type TestService, testKey } from './support/test-service.ts';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), 'svc-command-line-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

function run(args: string[], environment: Record<string, string> = {}): Promise<Result> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], ...environment };
    execFile(process.execPath, [daemonFile, ...args], { env, cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

describe('svc-machine', () => {
  it('whoami names the machine', async () => {
    expect(await run(['whoami', '--url', service.url, '--key', testKey])).toEqual({
      code: 0,
      stdout: `ada\\u{1b}[2Jlaptop (${machineId})\n`,
      stderr: '',
    });
    const fromEnvironment = await run(['whoami'], { SVC_MACHINE_KEY: testKey, SVC_URL: service.url });
    expect(fromEnvironment.code).toBe(0);
  });

  it.each([
    ['a wrong key', ['whoami', '--key', testKey.replace('aaa', 'bbb')], 'does not accept the key'],
    ['no key', ['whoami'], 'SVC_MACHINE_KEY'],
    [
      'a service that is away',
      ['whoami', '--key', testKey, '--url', 'http://127.0.0.1:1'],
      'cannot be reached',
    ],
    ['a URL without a scheme', ['whoami', '--key', testKey, '--url', '127.0.0.1:1'], 'must start with http'],
    ['a root that does not exist', ['connect', '--key', testKey, '--root', 'nowhere'], 'does not exist'],
    ['no root', ['connect', '--key', testKey], "required option '--root <folder...>'"],
    ['an unknown policy', ['connect', '--key', testKey, '--root', '.', '--policy', 'x'], 'Allowed choices'],
    [
      'commands that no policy looks at',
      ['connect', '--key', testKey, '--root', '.', '--allow', 'make'],
      '--policy allow-listed',
    ],
    [
      'a command with shell syntax',
      ['connect', '--key', testKey, '--root', '.', '--policy', 'allow-listed', '--allow', 'a; b'],
      'plain words',
    ],
    [
      'a state folder in a root',
      ['connect', '--key', testKey, '--root', '.', '--state', './s'],
      'contain each other',
    ],
    ['an unknown command', ['fly'], 'unknown command'],
  ])('ends with 1 and a sentence after %s', async (_, args, text) => {
    const { code, stderr, stdout } = await run(args, { SVC_URL: service.url });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('    at ');
    expect(stderr).not.toContain('bbb');
  });

  it('does not start with the file of its key in a root', async () => {
    await writeFile(join(folder, 'key'), testKey);
    const args = ['connect', '--url', service.url, '--root', '.'];
    const { code, stderr } = await run(args, { SVC_MACHINE_KEY_FILE: 'key' });
    expect(code).toBe(1);
    expect(stderr).toContain('where agents could read it');
  });

  it('shows its version and an example', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run(['connect', '--help'])).stdout).toContain('Example:');
  });

  it('takes roots one by one and together, and hides the key from the list of processes', async () => {
    const roots = await Promise.all(['a', 'b', 'c'].map((name) => mkdtemp(join(folder, `${name}-`))));
    const [first = '', ...others] = roots;
    const daemon = await startDaemon({
      url: service.url,
      key: testKey,
      roots: [first],
      args: ['--root', ...others, '--key', testKey],
    });
    const link = await service.accept();
    expect(link.hello.roots).toEqual(roots);
    // Starts the process that works on files, which must not show the key either.
    const operation = { id: randomUUID(), name: 'list_files', workdir: first } as const;
    expect(await link.perform(operation)).toMatchObject({ status: 'ok' });
    if (process.platform === 'linux') {
      const pid = String(daemon.child.pid);
      const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'args', '-p', pid, '--ppid', pid]);
      expect(stdout).toContain(daemon.stateFolder);
      expect(stdout).not.toContain(testKey);
    }
    expect(await daemon.stop('SIGHUP')).toBe(0);
    await daemon.discard();
  });
});

/** Whether a process can be the first of a namespace here, as it is in a container. */
const inNamespace = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];
const hasNamespaces = spawnSync('unshare', [...inNamespace, 'true']).status === 0;

describe.runIf(hasNamespaces)('svc-machine as the first process of a container', () => {
  it('leaves no defunct processes, ends when it is told to, and returns its exit code', async () => {
    const bin = join(import.meta.dirname, '../bin/svc-machine.mjs');
    // The process of a command that lost its parent, as it comes and goes while the daemon runs.
    const orphan = `(sh -c 'sleep 0.1 & exit' &); exec "$0" "$@"`;
    const connect = ['connect', '--url', 'http://127.0.0.1:1', '--key', testKey, '--root', folder];
    const home = await mkdtemp(join(tmpdir(), 'svc-home-'));
    onTestFinished(() => rm(home, { recursive: true }));
    const daemon = spawn(
      'unshare',
      [...inNamespace, 'sh', '-c', orphan, process.execPath, bin, ...connect, '--no-sandbox'],
      { env: { PATH: process.env['PATH'], HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    for (const stream of [daemon.stdout, daemon.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    await vi.waitUntil(() => output.includes('cannot be reached'), 60_000);
    const children = async (pid: number) =>
      (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);
    const [first = 0] = await children(daemon.pid ?? 0);
    expect(await readFile(`/proc/${first}/comm`, 'utf8')).toBe('sh\n');
    await vi.waitUntil(async () => (await children(first)).length === 1, 60_000);
    process.kill(first, 'SIGTERM');
    expect(await new Promise((resolveExit) => daemon.once('exit', resolveExit))).toBe(0);
  });
});
