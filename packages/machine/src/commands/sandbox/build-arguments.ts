import { isWithin } from '../../is-within.ts';
import type { SecretPath } from './find-secrets.ts';

/** Something that a command sees in the sandbox. What is not mounted does not exist there. */
export type Mount =
  | { kind: 'read-only'; source: string; target: string }
  | { kind: 'link'; source: string; target: string }
  /** An empty folder in memory, writable and gone with the command. */
  | { kind: 'empty'; target: string };

export interface SandboxedCommand {
  root: string;
  isRootWritable: boolean;
  cwd: string;
  mounts: readonly Mount[];
  /** Folders that must not be seen, even where a mount contains them: the home folder, other roots, the daemon's state. */
  hidden: readonly string[];
  /** The daemon's state, which is hidden even inside the root. */
  stateFolder: string;
  /** Whether it keeps the network that it is started in. */
  hasNetwork: boolean;
  /** Files and folders of the root that must not be seen. */
  secrets?: readonly SecretPath[];
  /** Older releases of bubblewrap do not have the option. */
  canDisableUserNamespaces: boolean;
  command: readonly string[];
}

/** Its own for every command, and empty at the start. */
export const privateHome = '/run/svc-home';

/**
 * Parts of /proc that belong to the whole machine. A daemon that runs as root owns them even in its own user namespace, and
 * could let the kernel run a program outside by writing to /proc/sys/kernel/core_pattern.
 */
const readOnlyInProc = ['acpi', 'bus', 'fs', 'irq', 'pressure', 'scsi', 'sys', 'sysrq-trigger'];

const privateFolders = ['/proc', '/run', '/tmp'];

const alwaysEmpty: readonly Mount[] = [
  { kind: 'empty', target: '/run' },
  { kind: 'empty', target: '/tmp' },
];

/** The arguments of bubblewrap for one command. */
export function buildArguments(command: SandboxedCommand): string[] {
  const { root, cwd, hasNetwork, canDisableUserNamespaces } = command;
  return [
    '--unshare-user',
    ...(canDisableUserNamespaces ? ['--disable-userns'] : []),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-cgroup-try',
    ...(hasNetwork ? [] : ['--unshare-net']),
    '--cap-drop',
    'ALL',
    '--new-session',
    '--die-with-parent',
    ...mountArguments(command),
    '--dir',
    privateHome,
    ...(root === '/' ? [] : ['--remount-ro', '/']),
    '--chdir',
    cwd,
    '--',
    ...command.command,
  ];
}

function mountArguments(command: SandboxedCommand): string[] {
  const { root, isRootWritable } = command;
  const isPrivate = (target: string) => privateFolders.some((folder) => isWithin(folder, target));
  // The root shows what is in it; only the whole disk as a root must not show what belongs to other processes.
  const besideRoot = [...alwaysEmpty, ...command.mounts].filter(
    ({ target }) => !isWithin(root, target) || (root === '/' && isPrivate(target)),
  );
  const entries = [
    ...besideRoot.map((mount) => ({ target: mount.target, arguments: argumentsOf(mount) })),
    ...hiddenFolders(command, besideRoot).map((target) => ({ target, arguments: ['--tmpfs', target] })),
    { target: root, arguments: [isRootWritable ? '--bind' : '--ro-bind', root, root] },
    ...(command.secrets ?? []).map(({ path, isFolder }) => ({
      target: path,
      arguments: isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
    })),
    { target: '/dev', arguments: ['--dev', '/dev'] },
    { target: '/proc', arguments: procArguments() },
  ];
  // A folder comes before what is mounted inside it.
  return entries
    .toSorted((one, other) => depth(one.target) - depth(other.target))
    .flatMap((entry) => entry.arguments);
}

function hiddenFolders({ root, hidden, stateFolder }: SandboxedCommand, mounts: readonly Mount[]): string[] {
  const shown = mounts.filter(({ kind }) => kind === 'read-only').map(({ target }) => target);
  const isShown = (path: string) => shown.some((target) => isWithin(target, path));
  const found = hidden.filter((path) => path !== root && !isWithin(root, path) && isShown(path));
  return [...new Set(isShown(stateFolder) || isWithin(root, stateFolder) ? [...found, stateFolder] : found)];
}

function argumentsOf(mount: Mount): string[] {
  if (mount.kind === 'empty') return ['--tmpfs', mount.target];
  if (mount.kind === 'link') return ['--symlink', mount.source, mount.target];
  // The source may have been removed since the daemon started.
  return ['--ro-bind-try', mount.source, mount.target];
}

function procArguments(): string[] {
  return [
    '--proc',
    '/proc',
    ...readOnlyInProc.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
  ];
}

function depth(path: string): number {
  return path.split('/').filter((name) => name !== '').length;
}
