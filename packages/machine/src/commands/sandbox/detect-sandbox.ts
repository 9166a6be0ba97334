import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { isWithin } from '../../is-within.ts';
import { realHome } from '../../roots.ts';
import { commandEnvironment } from '../environment/command-environment.ts';
import { findProgram } from '../environment/find-program.ts';
import { readGitSettings } from '../environment/git-identity.ts';
import { buildArguments, type Mount, privateHome } from './build-arguments.ts';
import { findToolchains } from './find-toolchains.ts';
import type { IsolatedNetwork } from './network.ts';
import type { Sandbox } from './sandbox.ts';
import { systemMounts } from './system-mounts.ts';

export interface SandboxQuery {
  /** Real paths. */
  roots: readonly string[];
  stateFolder: string;
  /** Real. */
  keyFile?: string | undefined;
  /** `host`: the network of the machine, its own services included. */
  network?: 'none' | 'host' | IsolatedNetwork;
  showsSecrets?: boolean;
  environment: NodeJS.ProcessEnv;
}

/** `reason` says why commands cannot be confined here, and what would help. */
export type DetectedSandbox =
  | { sandbox: Sandbox; reason?: undefined }
  | { sandbox?: undefined; reason: string };

/** Finds out whether bubblewrap works here by running it as commands will be run. */
export async function detectSandbox(query: SandboxQuery): Promise<DetectedSandbox> {
  if (process.platform !== 'linux') return { reason: 'bubblewrap runs on Linux only' };
  const program = findProgram('bwrap', query.environment['PATH'], query.roots);
  if (!program) {
    return {
      reason: 'bubblewrap (bwrap) is not installed, or only inside a root, where a bot could replace it',
    };
  }
  const sandbox = await describeSandbox(program, query);
  const failure = await probe(sandbox, query);
  if (failure === undefined) return { sandbox };
  const older = { ...sandbox, canDisableUserNamespaces: false };
  if ((await probe(older, query)) === undefined) return { sandbox: older };
  return { reason: `bubblewrap does not work here: ${failure}${hint()}` };
}

async function describeSandbox(program: string, query: SandboxQuery): Promise<Sandbox> {
  const { roots, stateFolder, network = 'none', showsSecrets = false } = query;
  const isolated = typeof network === 'string' ? undefined : network;
  const environment = commandEnvironment(query.environment);
  const home = realHome();
  const hidden = [home, stateFolder, ...roots].filter((path) => existsSync(path));
  const searchPath = environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  const toolchains = findToolchains({ searchPath, home, hidden, roots });
  const certificates = [environment['SSL_CERT_FILE'], environment['NIX_SSL_CERT_FILE']].filter(
    (path) => path !== undefined,
  );
  const git = findProgram('git', query.environment['PATH'], roots);
  return {
    program,
    hasNetwork: network !== 'none',
    ...(isolated && { network: isolated }),
    showsSecrets,
    canDisableUserNamespaces: true,
    mounts: hiding(query.keyFile, [
      ...systemMounts(network === 'host'),
      ...(isolated?.mounts ?? []),
      ...toolchains.mounts,
      ...certificates.map((path) => ({ kind: 'read-only' as const, source: path, target: path })),
    ]),
    hidden,
    stateFolder,
    environment: {
      ...environment,
      ...toolchains.environment,
      PATH: toolchains.searchPath,
      HOME: privateHome,
      SHELL: '/bin/sh',
      TMPDIR: '/tmp',
    },
    gitSettings: await readGitSettings(git, roots[0] ?? '/', { ...environment }),
  };
}

/** Without the file of the key, if it is in one of the folders that are shown. */
function hiding(keyFile: string | undefined, mounts: Mount[]): Mount[] {
  const isShown = mounts.some(
    ({ kind, target }) => keyFile && kind === 'read-only' && isWithin(target, keyFile),
  );
  return keyFile && isShown
    ? [...mounts, { kind: 'read-only', source: '/dev/null', target: keyFile }]
    : mounts;
}

/** What bubblewrap reports if it fails. */
async function probe(sandbox: Sandbox, { roots }: SandboxQuery): Promise<string | undefined> {
  const root = roots[0] ?? '/';
  const args = buildArguments({
    ...sandbox,
    root,
    isRootWritable: true,
    cwd: root,
    command: ['/bin/sh', '-c', 'exit 0'],
  });
  try {
    const [program = '', ...rest] = [...(sandbox.network?.enter ?? []), sandbox.program, ...args];
    await promisify(execFile)(program, rest, { env: sandbox.environment, timeout: 30_000 });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return stderr?.trim().split('\n').at(-1) || message;
  }
}

function hint(): string {
  const isOn = (file: string, value: string) => {
    try {
      return readFileSync(`/proc/sys/${file}`, 'utf8').trim() === value;
    } catch {
      // Only some kernels have the setting.
      return false;
    }
  };
  if (isOn('kernel/apparmor_restrict_unprivileged_userns', '1'))
    return '. AppArmor restricts user namespaces: it needs a profile that allows them for bwrap';
  if (isOn('kernel/unprivileged_userns_clone', '0') || isOn('user/max_user_namespaces', '0'))
    return '. User namespaces are turned off on this machine';
  return '. In a container, it must be allowed to create user namespaces';
}
