import { expect, it } from 'vitest';
import { buildArguments, type SandboxedCommand } from './build-arguments.ts';

const plain: SandboxedCommand = {
  root: '/home/ada/shop',
  isRootWritable: true,
  cwd: '/home/ada/shop/src',
  mounts: [
    { kind: 'read-only', source: '/home/ada/.cargo/bin', target: '/home/ada/.cargo/bin' },
    { kind: 'read-only', source: '/usr', target: '/usr' },
    { kind: 'link', source: 'usr/bin', target: '/bin' },
  ],
  hidden: ['/home/ada', '/home/ada/.local/state/svc-machine/1', '/home/ada/shop', '/srv/other'],
  stateFolder: '/home/ada/.local/state/svc-machine/1',
  hasNetwork: false,
  canDisableUserNamespaces: true,
  command: ['/bin/sh', '-c', 'true'],
};

/** The options about what is visible, as text. */
function mountsOf(command: Partial<SandboxedCommand>): string[] {
  const args = buildArguments({ ...plain, ...command });
  const counts: Record<string, number> = {
    '--bind': 2,
    '--ro-bind': 2,
    '--ro-bind-try': 2,
    '--symlink': 2,
    '--tmpfs': 1,
    '--proc': 1,
    '--dev': 1,
  };
  return args.flatMap((arg, index) => {
    const count = counts[arg];
    return count === undefined ? [] : [args.slice(index, index + count + 1).join(' ')];
  });
}

it('separates commands from the machine', () => {
  const args = buildArguments(plain);
  for (const option of [
    '--unshare-user',
    '--disable-userns',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-net',
  ])
    expect(args).toContain(option);
  expect(args.join(' ')).toContain('--cap-drop ALL --new-session --die-with-parent');
  expect(args.join(' ')).toMatch(/--remount-ro \/ --chdir \/home\/ada\/shop\/src -- \/bin\/sh -c true$/);
  expect(mountsOf({})).toContain('--ro-bind-try /proc/sys /proc/sys');
  const open = buildArguments({ ...plain, hasNetwork: true, canDisableUserNamespaces: false });
  expect(open).not.toContain('--unshare-net');
  expect(open).not.toContain('--disable-userns');
});

it('shows the root and what is mounted, but nothing else of the home folder', () => {
  expect(mountsOf({}).filter((mount) => !mount.includes('/proc'))).toEqual([
    '--tmpfs /run',
    '--tmpfs /tmp',
    '--ro-bind-try /usr /usr',
    '--symlink usr/bin /bin',
    '--dev /dev',
    '--bind /home/ada/shop /home/ada/shop',
    '--ro-bind-try /home/ada/.cargo/bin /home/ada/.cargo/bin',
  ]);
  expect(mountsOf({ isRootWritable: false })).toContain('--ro-bind /home/ada/shop /home/ada/shop');
});

it('hides folders inside of what it shows, except what the root contains', () => {
  const hidden = ['/usr/local/home', '/usr/local/other-root', '/usr/local/root/folder'];
  const mounts = mountsOf({
    root: '/usr/local/root',
    cwd: '/usr/local/root',
    hidden: [...hidden, '/usr/local/root'],
    stateFolder: '/usr/local/root/state',
  });
  expect(mounts.filter((mount) => mount.includes('/usr/local'))).toEqual([
    '--tmpfs /usr/local/home',
    '--tmpfs /usr/local/other-root',
    '--bind /usr/local/root /usr/local/root',
    '--tmpfs /usr/local/root/state',
  ]);
});

it('keeps a root that is, contains or is inside of a special folder', () => {
  expect(mountsOf({ root: '/tmp' })).not.toContain('--tmpfs /tmp');
  const inside = mountsOf({ root: '/tmp/root' });
  expect(inside.indexOf('--tmpfs /tmp')).toBeLessThan(inside.indexOf('--bind /tmp/root /tmp/root'));
  const home = mountsOf({ root: '/home/ada' });
  expect(home).not.toContain('--ro-bind-try /home/ada/.cargo/bin /home/ada/.cargo/bin');
  expect(home).toContain('--tmpfs /home/ada/.local/state/svc-machine/1');
  const whole = mountsOf({ root: '/', cwd: '/' });
  expect(whole[0]).toBe('--bind / /');
  expect(whole).toContain('--tmpfs /run');
  expect(whole).not.toContain('--ro-bind-try /usr /usr');
  expect(buildArguments({ ...plain, root: '/' })).not.toContain('--remount-ro');
});
