import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markerName } from '../src/commands/environment/command-environment.ts';
import { listProcesses } from '../src/commands/process-tree/end-tree.ts';
import { keptMemory } from './support/kept-memory.ts';
import { isSandboxPossible } from './support/sandbox-possible.ts';
import { useCommands } from './support/use-commands.ts';

const ways = [
  { way: 'in the sandbox', isSandboxed: true },
  { way: 'without a sandbox', isSandboxed: false },
].filter(({ isSandboxed }) => !isSandboxed || isSandboxPossible);

describe.each(ways)('commands $way', ({ isSandboxed }) => {
  it('report their output in order, their directory and their exit code', async () => {
    const { run, root } = await useCommands({ isSandboxed });
    await mkdir(join(root, 'folder'));
    const end = await run('echo one; echo two >&2; echo three; echo four > /dev/stderr; pwd; exit 3', {
      path: 'folder',
    });
    expect(end).toMatchObject({
      exit_code: 3,
      signal: null,
      timed_out: false,
      output: `one\ntwo\nthree\nfour\n${root}/folder\n`,
      omitted_bytes: 0,
      cwd: `${root}/folder`,
      sandbox: isSandboxed ? 'bubblewrap' : 'none',
    });
    expect(end.output_bytes).toBe(end.output.length);
  });

  it('report the signal that ended them', async () => {
    const { run } = await useCommands({ isSandboxed });
    // Bubblewrap reports signals as shells do.
    const expected = isSandboxed ? { exit_code: 137, signal: null } : { exit_code: null, signal: 'SIGKILL' };
    expect(await run('kill -9 $$')).toMatchObject(expected);
    expect(await run("sh -c 'kill -9 $$'")).toMatchObject({ exit_code: 137 });
  });

  it('have no input, and are not read as options of the shell', async () => {
    const { run } = await useCommands({ isSandboxed });
    expect(await run('cat; read line || echo nothing')).toMatchObject({ exit_code: 0, output: 'nothing\n' });
    expect(await run('-c true')).toMatchObject({ exit_code: 127 });
  });

  it('see no secrets in their environment, and no files that the daemon inherited', async () => {
    const environment = { ...process.env, SVC_MACHINE_KEY: 'svc_mk_secret', AWS_SECRET_ACCESS_KEY: 'secret' };
    const { run } = await useCommands({ isSandboxed, environment });
    const { output } = await run('env; ls -l /proc/self/fd');
    expect(output).not.toContain('secret');
    const files = output.split('\n').filter((line) => / \d+ -> /.test(line) && !line.includes('/dev/null'));
    expect(files.map((line) => / (\d+) -> /.exec(line)?.[1])).toEqual(['1', '2', '3']);
  });

  it('run nothing that a folder in the form of a bare repository names', async () => {
    const { run, root } = await useCommands({ isSandboxed });
    for (const folder of ['objects', 'refs']) await mkdir(join(root, folder));
    await writeFile(join(root, 'HEAD'), 'ref: refs/heads/main\n');
    const settings = `bare = false\n\tworktree = .\n\tfsmonitor = "touch ${root}/ran; false"`;
    await writeFile(join(root, 'config'), `[core]\n\trepositoryformatversion = 0\n\t${settings}\n`);
    const { output } = await run('git status; ls');
    expect(output).toContain('cannot use bare repository');
    expect(output).not.toContain('ran\n');
  });

  it('keep both ends of 30 MB of output in constant memory', async () => {
    const { perform } = await useCommands({ isSandboxed });
    const frames: string[] = [];
    let maxMemory = 0;
    const before = keptMemory();
    // Collecting garbage takes long in a worker that has loaded much: at most a fifth of the time.
    const watch = () => {
      const began = performance.now();
      maxMemory = Math.max(maxMemory, keptMemory());
      watching = setTimeout(watch, Math.max(20, 4 * (performance.now() - began)));
    };
    let watching = setTimeout(watch, 20);
    const outcome = await perform(
      {
        command: 'echo start; head -c 30000000 /dev/zero | tr "\\0" x; echo; echo end',
        time_limit_seconds: 200,
      },
      { onProgress: (text) => frames.push(text) },
    );
    clearTimeout(watching);
    expect(outcome).toMatchObject({ status: 'ok', value: { exit_code: 0, output_bytes: 30_000_011 } });
    const { output, omitted_bytes } = (outcome as { value: { output: string; omitted_bytes: number } }).value;
    expect(output).toMatch(/^start\nx+\n\[… \d+ bytes left out …\]\nx+\nend\n$/);
    expect(output.length).toBeLessThan(50_000);
    expect(omitted_bytes).toBe(30_000_011 - 48 * 1024);
    expect(maxMemory).toBeGreaterThan(0);
    expect(maxMemory - before).toBeLessThan(15_000_000);
    expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThan(10_000);
    expect(frames.join('').length).toBeLessThan(300_000);
  });

  it('turn what is not UTF-8 into replacement characters', async () => {
    const { run } = await useCommands({ isSandboxed });
    expect(await run(String.raw`printf 'a\377b\303\n\000é'`)).toMatchObject({
      output: 'a�b�\n�é',
      output_bytes: 8,
    });
  });

  it('report progress while they run', async () => {
    const { perform, root } = await useCommands({ isSandboxed });
    const frames: string[] = [];
    const outcome = await perform(
      { command: 'echo first; while [ ! -e go ]; do sleep 0.05; done; echo last', time_limit_seconds: 60 },
      {
        onProgress(text) {
          frames.push(text);
          void writeFile(join(root, 'go'), '');
        },
      },
    );
    expect(outcome).toMatchObject({ status: 'ok', value: { output: 'first\nlast\n' } });
    expect(frames).toEqual(['first\n', 'last\n']);
  });

  it('are ended after their time limit', async () => {
    const { run } = await useCommands({ isSandboxed });
    const end = await run('sleep 1000', { time_limit_seconds: 1 });
    expect(end).toMatchObject({ timed_out: true, exit_code: null, signal: 'SIGTERM' });
  });

  it('may end themselves when they are asked to', async () => {
    const { perform } = await useCommands({ isSandboxed });
    const cancelling = new AbortController();
    const outcome = await perform(
      { command: "trap 'echo bye; exit 5' TERM; echo ready; sleep 1000 & wait" },
      { signal: cancelling.signal, onProgress: () => cancelling.abort() },
    );
    expect(outcome).toMatchObject({ status: 'error', message: expect.stringMatching(/ready\nbye\n$/) });
  });

  it('are ended when they are cancelled, even if they ignore SIGTERM and left their group', async () => {
    const { perform, root } = await useCommands({ isSandboxed });
    const id = randomUUID();
    const cancelling = new AbortController();
    const outcome = await perform(
      { command: stubborn, time_limit_seconds: 200 },
      { id, signal: cancelling.signal, onProgress: () => cancelling.abort() },
    );
    expect(outcome).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/cancelled[^]*started/),
    });
    expect(await leftovers(id)).toEqual([]);
    const started = (await readFile(join(root, 'started'), 'utf8')).trim().split('\n');
    expect(started.toSorted()).toEqual(['child', 'double fork', 'session']);
  });

  it('end with their shell: processes in the background are ended, even if they have the output open', async () => {
    const { perform } = await useCommands({ isSandboxed });
    const id = randomUUID();
    const command = '(setsid sleep 1000 &) ; setsid sleep 1000 > /dev/null 2>&1 & sleep 1000 & echo done';
    const outcome = await perform({ command, time_limit_seconds: 200 }, { id });
    expect(outcome).toMatchObject({ value: { exit_code: 0, timed_out: false, output: 'done\n' } });
    expect(await leftovers(id)).toEqual([]);
  });

  it('run only in the directory that they were approved for', async () => {
    const { perform, root, otherRoot } = await useCommands({ isSandboxed });
    await mkdir(join(root, 'folder'));
    await symlink(otherRoot, join(root, 'out'));
    const outside = await perform({ command: 'pwd', path: 'out' });
    expect(outside).toMatchObject({ status: 'error', message: expect.stringContaining('not a folder') });
    const other = await perform({ command: 'pwd' }, { cwd: join(root, 'folder') });
    expect(other).toMatchObject({ status: 'error', message: expect.stringContaining('approved for') });
    expect(await perform({ command: 'pwd' }, { cwd: root })).toMatchObject({ status: 'ok' });
  });

  it('cannot start when they contain what no shell can run', async () => {
    const { perform } = await useCommands({ isSandboxed });
    expect(await perform({ command: 'echo a\0b' })).toMatchObject({ status: 'error' });
  });

  it('are ended when the daemon stops', async () => {
    const { perform, work } = await useCommands({ isSandboxed });
    const id = randomUUID();
    const running = perform(
      { command: 'echo started; sleep 1000', time_limit_seconds: 200 },
      { id, onProgress: () => void work.close() },
    );
    expect(await running).toMatchObject({ status: 'error' });
    expect(await leftovers(id)).toEqual([]);
  });
});

it('an operation that a crash interrupted is unknown, and what is left of it is ended', async () => {
  const { work } = await useCommands({ isSandboxed: false });
  const id = randomUUID();
  const left = spawn('sleep', ['1000'], { env: { [markerName]: id }, detached: true, stdio: 'ignore' });
  const ended = once(left, 'exit');
  expect(await work.recover({ id, name: 'run_command' })).toMatchObject({ status: 'unknown' });
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await work.recover({ id: randomUUID(), name: 'search' })).toMatchObject({ status: 'error' });
});

/** Ignores SIGTERM in a shell, its child, a child in another session, and one whose parents have ended. */
const stubborn = `
trap '' TERM
ignore='trap "" TERM; echo "$0" >> started; while :; do sleep 1; done'
sh -c "$ignore" child > /dev/null 2>&1 &
setsid sh -c "$ignore" session &
(setsid sh -c "$ignore" 'double fork' > /dev/null 2>&1 &)
touch started
while [ "$(wc -l < started)" -lt 3 ]; do sleep 0.02; done
echo started
while :; do sleep 1; done
`;

/** What runs with the marker of an operation, in a sandbox or not. */
async function leftovers(id: string): Promise<number[]> {
  const processes = await listProcesses(`${markerName}=${id}`);
  return processes.filter(({ isMarked }) => isMarked).map(({ pid }) => pid);
}
