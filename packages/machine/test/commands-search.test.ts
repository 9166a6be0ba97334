import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { release, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isSandboxPossible } from './support/sandbox-possible.ts';
import { type Commands, useCommands } from './support/use-commands.ts';

const ways = [
  { way: 'in the sandbox', isSandboxed: true },
  { way: 'without a sandbox', isSandboxed: false },
].filter(({ isSandboxed }) => !isSandboxed || isSandboxPossible);

describe.each(ways)('describe_project $way', ({ isSandboxed }) => {
  it('names the system, the date and the state of the repository, and runs nothing that it configures', async () => {
    const { work, root } = await useCommands({ isSandboxed });
    await fill(root, {
      'a.ts': 'one\n',
      'AGENTS.md': 'Use tabs.\n',
    });
    const git = (...given: string[]) => execFileSync('git', given, { cwd: root, stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '-qm', 'Begin here');
    const programs = ['monitor', 'filter'].map((name) => join(root, '.git', name));
    for (const program of programs) {
      await writeFile(program, writesToGitsOutput);
      await chmod(program, 0o755);
    }
    git('config', 'core.fsmonitor', programs[0] ?? '');
    git('config', 'filter.a=b.clean', programs[1] ?? '');
    await fill(root, { 'a.ts': 'two\n', '.git/info/attributes': '*.ts filter=a=b\n' });
    const operation = { id: randomUUID(), name: 'describe_project' as const, workdir: root, arguments: {} };
    const run = { signal: new AbortController().signal, onProgress: () => undefined };
    const outcome = await work.perform(operation, run);
    expect(outcome).toMatchObject({
      status: 'ok',
      value: {
        workdir: root,
        system: expect.stringContaining(release()),
        shell: '/bin/sh',
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d \(.+\)$/),
        git: {
          branch: 'main',
          changes: isSandboxed ? [' M a.ts'] : null,
          commits: isSandboxed ? [expect.stringMatching(/^[0-9a-f]+ Begin here$/)] : [],
        },
        instructions: [{ path: 'AGENTS.md', text: 'Use tabs.\n', truncated: false }],
      },
    });
  });
});

/** What git starts finds the process of git among its ancestors. */
const writesToGitsOutput = `#!/bin/sh
p=$PPID
for i in 1 2 3; do
  case "$(tr '\\0' ' ' < /proc/$p/cmdline)" in *git*status*) echo "?? ran-$0" > /proc/$p/fd/1;; esac
  while read -r name value; do [ "$name" = PPid: ] && p=$value; done < /proc/$p/status
done
cat
exit 1
`;

it.runIf(isSandboxPossible)('describe_project gives git neither secrets nor the network', async () => {
  const programs = await mkdtemp(join(tmpdir(), 'svc-git-'));
  onTestFinished(() => rm(programs, { recursive: true }));
  const script =
    '#!/bin/sh\necho "## main"\necho "?? $(cat .env)"\necho "?? $(readlink /proc/self/ns/net)"\n';
  await writeFile(join(programs, 'git'), script, { mode: 0o755 });
  const environment = { ...process.env, PATH: `${programs}:${process.env['PATH']}` };
  const shown = { network: 'host' as const, showsSecrets: true };
  const { work, root, run } = await useCommands({ isSandboxed: true, environment, ...shown });
  await fill(root, { '.env': 'API_KEY=hunter2\n' });
  const network = await readlink('/proc/self/ns/net');
  expect((await run('cat .env; readlink /proc/self/ns/net')).output).toBe(`API_KEY=hunter2\n${network}\n`);
  const operation = { id: randomUUID(), name: 'describe_project' as const, workdir: root, arguments: {} };
  const outcome = await work.perform(operation, {
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  const { changes } = (outcome as { value: { git: { changes: string[] } } }).value.git;
  expect(changes).toEqual(['?? ', expect.stringMatching(/^\?\? net:/)]);
  expect(changes).not.toContain(`?? ${network}`);
});

describe.each(ways)('search with ripgrep $way', ({ isSandboxed }) => {
  it('finds text and regular expressions, and leaves out what git ignores', async () => {
    const { search, root } = await useCommands({ isSandboxed });
    await fill(root, {
      'a.ts': 'one\nneedle (1)\r\nthree\n',
      'folder/b.js': 'Needle (1)\n',
      'folder/.hidden': 'needle (1)\n',
      '.gitignore': 'ignored\n',
      ignored: 'needle (1)\n',
      '.git/config': 'needle (1)\n',
      'node_modules/x.js': 'needle (1)\n',
      binary: 'needle (1)\n\0\0',
      '-dash': '--needle\n',
    });
    const hidden = { path: 'folder/.hidden', line: 1, text: 'needle (1)' };
    const first = { path: 'a.ts', line: 2, text: 'needle (1)' };
    const upper = { path: 'folder/b.js', line: 1, text: 'Needle (1)' };
    expect(await search({ query: 'needle (' })).toEqual({
      matches: [first, hidden],
      truncated: false,
      engine: 'ripgrep',
    });
    expect((await search({ query: 'needle (1', ignore_case: true })).matches).toEqual([first, hidden, upper]);
    expect((await search({ query: String.raw`needle \(\d`, regex: true, glob: '*.ts' })).matches).toEqual([
      first,
    ]);
    expect((await search({ query: 'eedle', path: 'folder', glob: '*.js' })).matches).toEqual([upper]);
    expect((await search({ query: '--needle' })).matches).toEqual([
      { path: '-dash', line: 1, text: '--needle' },
    ]);
    expect((await search({ query: 'missing' })).matches).toEqual([]);
    await expect(search({ query: '(', regex: true })).rejects.toThrow('unclosed group');
  });

  it('follows no links, uses no settings, and leaves single files to the built-in search', async () => {
    const settings = join(dirname(import.meta.filename), 'missing');
    const environment = { ...process.env, RIPGREP_CONFIG_PATH: settings };
    const { search, root, otherRoot } = await useCommands({ isSandboxed, environment });
    await fill(otherRoot, { secret: 'needle\n' });
    await symlink(otherRoot, join(root, 'link'));
    await symlink(join(otherRoot, 'secret'), join(root, 'file'));
    expect((await search({ query: 'needle' })).matches).toEqual([]);
    await expect(search({ query: 'needle', path: 'link' })).rejects.toThrow();
    await expect(search({ query: 'needle', path: '..' })).rejects.toThrow();
    await rm(join(root, 'file'));
    await fill(root, { file: 'needle\n' });
    expect(await search({ query: 'needle', path: 'file' })).toMatchObject({
      matches: [{ path: 'file', line: 1 }],
      engine: 'built-in',
    });
  });

  it('bounds the number of matches and the length of lines', async () => {
    const { search, root } = await useCommands({ isSandboxed });
    await fill(root, { many: 'needle\n'.repeat(100_000), wide: `needle${'x'.repeat(1_000_000)}\n` });
    const { matches, truncated } = await search({ query: 'needle' });
    expect(matches).toHaveLength(500);
    expect(truncated).toBe(true);
    const wide = await search({ query: 'needle', glob: 'wide' });
    expect(wide.matches).toHaveLength(1);
    expect(wide.matches[0]?.text.length).toBeLessThan(500);
  });
});

async function fill(folder: Commands['root'], files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
