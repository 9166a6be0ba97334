import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { detectSandbox } from '../src/commands/sandbox/detect-sandbox.ts';
import { isSandboxPossible } from './support/sandbox-possible.ts';
import { useCommands } from './support/use-commands.ts';

describe.skipIf(!isSandboxPossible)('the sandbox', () => {
  it('lets commands write in their root and nowhere else', async () => {
    const { run, root, otherRoot, stateFolder } = await useCommands({ isSandboxed: true });
    await writeFile(join(otherRoot, 'file'), 'other');
    await writeFile(join(stateFolder, 'key'), 'secret');
    const outside = [
      '/etc/x',
      '/usr/x',
      '/x',
      '/opt/x',
      '/var/x',
      `${homedir()}/x`,
      `${otherRoot}/x`,
      `${stateFolder}/x`,
    ];
    const { output } = await run(
      `echo inside > file
      for path in ${outside.join(' ')}; do (echo x > "$path") 2>/dev/null && echo "wrote $path"; done
      ls -a ${root}/..
      cat ${otherRoot}/file ${stateFolder}/key 2>&1 | grep -c 'No such file'`,
    );
    expect(output).toBe('.\n..\nroot\n2\n');
    expect(await readFile(join(root, 'file'), 'utf8')).toBe('inside\n');
  });

  it('shows nothing of the home folder, of settings with secrets, or of sockets', async () => {
    const home = await useHome();
    const { run, root } = await useCommands({
      isSandboxed: true,
      environment: { ...process.env, HOME: home, PATH: `${home}/.cargo/bin:${process.env['PATH']}` },
    });
    const secrets = [
      ...[
        '.ssh/id_ed25519',
        '.aws/credentials',
        '.npmrc',
        '.config/gh/hosts.yml',
        '.cargo/credentials.toml',
      ].map((path) => `${home}/${path}`),
      '/etc/shadow',
      '/etc/sudoers',
      '/etc/ssl/private',
      '/run/docker.sock',
      '/var/run/docker.sock',
      '/run/user',
      '/run/dbus',
      '/sys/kernel',
      '/home',
      '/dev/sda',
      '/dev/mem',
    ];
    const { output } = await run(
      `for path in ${secrets.join(' ')}; do ls -d "$path" 2>/dev/null; done; hello; cd; ls -A; cd ${root}; git init -q; git config user.email`,
    );
    // The program in ~/.cargo/bin works, and the only file in the private home has the identity for commits.
    expect(output).toBe('hello from cargo\n.gitconfig\nada@example.com\n');
  });

  it('hides the file of the key, even among programs', async () => {
    const home = await useHome();
    const keyFile = join(home, '.cargo/bin/key');
    await writeFile(keyFile, 'svc_mk_secret');
    const environment = { ...process.env, HOME: home, PATH: `${home}/.cargo/bin:${process.env['PATH']}` };
    const { run } = await useCommands({ isSandboxed: true, environment, keyFile });
    expect(await run(`hello; cat ${keyFile} 2>/dev/null`)).toMatchObject({ output: 'hello from cargo\n' });
  });

  it('has no network: neither local servers nor names nor abstract sockets', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    const abstract = createServer((socket) => socket.end('reached')).listen(`\0svc-test-${process.pid}`);
    onTestFinished(async () => {
      await Promise.all([server, abstract].map((one) => new Promise((resolve) => one.close(resolve))));
    });
    await Promise.all([once(server, 'listening'), once(abstract, 'listening')]);
    const { port } = server.address() as { port: number };
    const script = `
      const net = require('node:net'), dns = require('node:dns');
      const reach = (to) => new Promise((resolve) => {
        const socket = net.connect(to).on('data', (data) => resolve(String(data))).on('error', (error) => resolve(error.code));
      });
      (async () => {
        console.log(await reach({ host: '127.0.0.1', port: ${port} }));
        console.log(await reach('\\0svc-test-${process.pid}'));
        console.log(Object.keys(require('node:os').networkInterfaces()).join());
        dns.lookup('example.com', (error) => console.log(error.syscall));
      })()`;
    // Releases of Node differ in the names of abstract sockets.
    const environment = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
    const closed = await useCommands({ isSandboxed: true, environment });
    await writeFile(join(closed.root, 'reach.cjs'), script);
    expect((await closed.run('node reach.cjs')).output).toMatch(
      /^ECONNREFUSED\nECONNREFUSED\nlo\ngetaddrinfo\n$/,
    );
    const open = await useCommands({ isSandboxed: true, network: 'host', environment });
    await writeFile(join(open.root, 'reach.cjs'), script.replace(/dns\.lookup.*/, ''));
    const settings = 'wc -c < /etc/resolv.conf; ls /etc/ssl/certs | wc -l';
    const { output } = await open.run(`node reach.cjs; ${settings}`);
    const expected = execFileSync('/bin/sh', ['-c', `{ ${settings}; } 2>&1`]).toString();
    expect(output.replace(/^reached\nreached\n.+\n/, '')).toBe(expected);
  });

  it('keeps processes of the machine out of reach, and the kernel settings too', async () => {
    const victim = spawn('sleep', ['1000'], { env: { SECRET: 'in the environment' } });
    onTestFinished(() => void victim.kill('SIGKILL'));
    const { run } = await useCommands({ isSandboxed: true });
    const { output } = await run(
      `for pid in ${victim.pid} ${process.pid}; do
        kill -0 $pid 2>/dev/null && echo "can signal $pid"
        ls -d /proc/$pid 2>/dev/null && cat /proc/$pid/environ
      done
      find /proc/sys -type f -writable 2>/dev/null | head -3
      [ -w /proc/sysrq-trigger ] && echo sysrq
      grep -E '^Cap(Eff|Prm|Bnd|Amb)' /proc/self/status | cut -f 2 | sort -u
      grep NoNewPrivs /proc/self/status | cut -f 2
      unshare --user --map-root-user true 2>/dev/null && echo nested
      mount -t tmpfs x /tmp 2>/dev/null && echo mounted
      mknod node c 1 1 2>/dev/null && echo mknod
      ls /proc | grep -c '^[0-9]'`,
    );
    expect(output).toMatch(/^0000000000000000\n1\n\d\n$/);
    expect(victim.exitCode).toBe(null);
  });

  it('hides other roots and the state even inside folders that it shows', async () => {
    const { run, root, otherRoot, stateFolder } = await useCommands({ isSandboxed: true, showsParent: true });
    for (const path of [root, otherRoot, stateFolder]) await writeFile(join(path, 'file'), '');
    const folder = dirname(root);
    await writeFile(join(folder, 'beside'), '');
    expect((await run(`find ${folder} -type f | sort`)).output).toBe(`${folder}/beside\n${root}/file\n`);
    expect((await run(`echo x > ${folder}/beside`)).output).toContain('Read-only file system');
  });

  it('shows the repository of a worktree, but nothing that only claims to be one', async () => {
    const { run, root } = await useCommands({ isSandboxed: true });
    const outside = await realpath(await mkdtemp(join(tmpdir(), 'svc-repository-')));
    onTestFinished(() => rm(outside, { recursive: true }));
    const git = (cwd: string, ...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd, stdio: 'pipe' });
    git(outside, 'init', '-q', '-b', 'main');
    git(outside, 'commit', '-q', '--allow-empty', '-m', 'first');
    git(outside, 'worktree', 'add', '-q', join(root, 'tree'));
    const log = await run(
      'git log --format=%s; git status --short; echo x > "$(git rev-parse --git-common-dir)/hooks/x"',
      {
        path: 'tree',
      },
    );
    expect(log.output).toMatch(/^first\n.*Read-only file system/);
    // A file that a command wrote names a folder that does not name it in return.
    await mkdir(join(root, 'false'));
    await writeFile(join(root, 'false', '.git'), `gitdir: ${outside}/.git/worktrees/tree\n`);
    expect((await run(`ls ${outside}`, { path: 'false' })).output).toContain('No such file');
    await writeFile(join(root, '.git'), `gitdir: ${homedir()}\n`);
    expect((await run(`ls -A ${homedir()}/.config`)).output).toContain('No such file');
  });

  it('runs the tools on the search path, and git without complaints about other owners', async () => {
    const { run, root } = await useCommands({ isSandboxed: true });
    execFileSync('git', ['init', '-q', root]);
    // A user that does not exist in the sandbox.
    if (process.getuid?.() === 0) {
      await chmod(root, 0o777);
      execFileSync('chown', ['-R', '12345', root]);
    }
    const end = await run('git status --short && node -e "console.log(6 * 7)" && npm --version');
    expect(end).toMatchObject({ exit_code: 0, output: expect.stringMatching(/^42\n[\d.]+\n$/) });
  });

  it('says why it cannot be used', async () => {
    const query = { roots: ['/usr'], stateFolder: '/nowhere' };
    expect((await detectSandbox({ ...query, environment: { PATH: '/nowhere' } })).reason).toContain(
      'not installed',
    );
    const folder = await mkdtemp(join(tmpdir(), 'svc-program-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(
      join(folder, 'bwrap'),
      '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n',
    );
    await chmod(join(folder, 'bwrap'), 0o755);
    const broken = await detectSandbox({ ...query, environment: { PATH: folder } });
    expect(broken.reason).toContain('No permissions to create new namespace');
    // A program inside a root could have been put there by a bot.
    const inRoot = await detectSandbox({
      ...query,
      roots: [await realpath(folder)],
      environment: { PATH: folder },
    });
    expect(inRoot.reason).toContain('not installed');
  });
});

/** A home folder with a program and secrets. */
async function useHome(): Promise<string> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'svc-home-')));
  onTestFinished(() => rm(home, { recursive: true }));
  const files: Record<string, string> = {
    '.ssh/id_ed25519': 'secret',
    '.aws/credentials': 'secret',
    '.npmrc': 'secret',
    '.config/gh/hosts.yml': 'secret',
    '.cargo/credentials.toml': 'secret',
    '.cargo/bin/hello': '#!/bin/sh\necho hello from cargo\n',
    '.gitconfig': '[user]\n\temail = ada@example.com\n[credential]\n\thelper = store\n',
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(home, path, '..'), { recursive: true });
    await writeFile(join(home, path), content, { mode: 0o755 });
  }
  return home;
}
