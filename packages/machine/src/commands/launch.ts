import { isWithin } from '../is-within.ts';
import { commandEnvironment, markerName } from './environment/command-environment.ts';
import { buildArguments } from './sandbox/build-arguments.ts';
import { findSecrets } from './sandbox/find-secrets.ts';
import { findWorktreeRepository } from './sandbox/git-worktree.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

/** How a process is started. */
export interface Launch {
  file: string;
  arguments: string[];
  environment: Record<string, string>;
  cwd: string;
  /** Every process of the command has this in its environment, as `name=value`. */
  marker: string;
  isSandboxed: boolean;
}

export async function prepareLaunch(query: {
  operationId: string;
  /** Real. */
  cwd: string;
  roots: readonly string[];
  sandbox: Sandbox | undefined;
  environment: NodeJS.ProcessEnv;
  isRootWritable: boolean;
  /** Whether files of the root that may have passwords or keys in them are hidden, where there is a sandbox. */
  hidesSecrets: boolean;
  /** Files that the command needs, wherever they are. */
  shows?: readonly string[];
  command: readonly [string, ...string[]];
}): Promise<Launch> {
  const { operationId, cwd, roots, sandbox, isRootWritable, command } = query;
  const marked = { [markerName]: operationId };
  const marker = `${markerName}=${operationId}`;
  if (!sandbox) {
    const [file, ...rest] = command;
    const environment = { ...commandEnvironment(query.environment), ...marked };
    return { file, arguments: rest, environment, cwd, marker, isSandboxed: false };
  }
  const root = roots.find((candidate) => isWithin(candidate, cwd));
  if (root === undefined) throw new Error('The directory of a command must be inside a root.');
  const repository = await findWorktreeRepository(root, cwd);
  const shown = [...(query.shows ?? []), ...(repository ? [repository] : [])];
  const mounts = [
    ...sandbox.mounts,
    ...shown.map((path) => ({ kind: 'read-only' as const, source: path, target: path })),
  ];
  const secrets = query.hidesSecrets ? await findSecrets(root) : [];
  const [file = '', ...rest] = [
    ...(sandbox.network?.enter ?? []),
    sandbox.program,
    '--json-status-fd',
    '3',
    ...buildArguments({ ...sandbox, mounts, root, secrets, isRootWritable, cwd, command }),
  ];
  return {
    file,
    arguments: rest,
    environment: { ...sandbox.environment, ...marked },
    cwd: '/',
    marker,
    isSandboxed: true,
  };
}
