import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { markerName } from '../src/commands/environment/command-environment.ts';
import { endTree, listProcesses } from '../src/commands/process-tree/end-tree.ts';
import { isSandboxPossible } from './support/sandbox-possible.ts';

const program = join(import.meta.dirname, 'support/command-daemon.ts');
const nobody = 65534;
const isRoot = process.getuid?.() === 0;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];

describe.each([{ isSandboxed: true }, { isSandboxed: false }])(
  'a daemon (sandbox: $isSandboxed)',
  ({ isSandboxed }) => {
    it.skipIf(isSandboxed && !isSandboxPossible)('that is killed leaves no process behind', async () => {
      const command =
        '(setsid sleep 1000 &); setsid sleep 1000 > /dev/null 2>&1 & sleep 1000 & echo started; sleep 1000';
      const { id, daemon, lines } = await startDaemon({ command, isSandboxed });
      expect(await lines.next()).toMatchObject({ value: JSON.stringify({ progress: 'started\n' }) });
      expect((await marked(id)).length).toBeGreaterThan(3);
      daemon.kill('SIGKILL');
      await expect.poll(() => marked(id)).toEqual([]);
    });
  },
);

describe.skipIf(!isSandboxPossible)('a daemon of an ordinary user', () => {
  const prefix = isRoot ? asNobody : [];
  const canRun = !isRoot || canReadSources();

  it.skipIf(!canRun)('runs commands in the sandbox', async () => {
    const command =
      'touch file && stat -c %u file && node -e "console.log(6 * 7)"; cat /etc/shadow; unshare -U true';
    const { lines } = await startDaemon({ command, isSandboxed: true, prefix });
    const end = (await readOutcome(lines)).value;
    expect(end).toMatchObject({ sandbox: 'bubblewrap' });
    expect(end?.output).toContain(`${isRoot ? nobody : process.getuid?.()}\n42\n`);
    expect(end?.output).toContain('/etc/shadow: No such file');
    expect(end?.output).toContain('unshare failed');
  });

  it.skipIf(!canRun)('stops a fork bomb at the limit on processes', async () => {
    // Without the limit it would start 60 processes.
    const command = 'i=0; while [ $i -lt 60 ]; do sleep 1000 & i=$((i + 1)); done; echo all';
    const { id, lines } = await startDaemon({ command, isSandboxed: true, prefix, maxProcesses: 20 });
    const outcome = await readOutcome(lines);
    expect(outcome.value?.output).toMatch(/fork/i);
    expect(outcome.value?.output).not.toContain('all');
    expect(await marked(id)).toEqual([]);
  });
});

interface Start {
  command: string;
  isSandboxed: boolean;
  prefix?: string[];
  maxProcesses?: number;
}

async function startDaemon({ prefix = [], ...given }: Start) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-daemon-')));
  const folders = { root: join(folder, 'root'), stateFolder: join(folder, 'state') };
  const id = randomUUID();
  await chmod(folder, 0o755);
  for (const path of Object.values(folders)) {
    await mkdir(path);
    if (prefix.length > 0) await chown(path, nobody, nobody);
  }
  const [file, ...args] = [
    ...prefix,
    process.execPath,
    program,
    JSON.stringify({ id, ...folders, ...given }),
  ];
  const environment = prefix.length > 0 ? { PATH: '/usr/local/bin:/usr/bin:/bin' } : process.env;
  const daemon: ChildProcess = spawn(file, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    daemon.kill('SIGKILL');
    await endTree(undefined, `${markerName}=${id}`, 0);
    await rm(folder, { recursive: true, force: true });
  });
  if (!daemon.stdout) throw new Error('no output');
  return { id, daemon, lines: createInterface({ input: daemon.stdout })[Symbol.asyncIterator]() };
}

async function readOutcome(lines: AsyncIterator<string>) {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error('The daemon ended without an outcome.');
    const { outcome } = JSON.parse(value) as { outcome?: { status: string; value?: { output: string } } };
    if (outcome) return outcome;
  }
}

async function marked(id: string): Promise<number[]> {
  const processes = await listProcesses(`${markerName}=${id}`);
  return processes.filter(({ isMarked }) => isMarked).map(({ pid }) => pid);
}

function canReadSources(): boolean {
  const [file, ...args] = [
    ...asNobody,
    process.execPath,
    '-e',
    `require('node:fs').readFileSync('${program}')`,
  ];
  if (spawnSync(file, args, { stdio: 'ignore' }).status === 0) return true;
  process.stderr.write(
    'Skipped: the sandbox of an ordinary user, because only root can read this checkout.\n',
  );
  return false;
}
