import { arch, release, type as systemName } from 'node:os';
import { join } from 'node:path';
import type { DescribedProject, Outcome } from '@svc/contract/machine-protocol';
import { rootOf } from '../../confine/paths.ts';
import { isSecret } from '../../confine/secrets.ts';
import type { ProjectFiles } from '../../files/read/describe-project.ts';
import type { Operation, WorkRun } from '../../operations/work.ts';
import type { CommandWorkOptions } from '../command-work-options.ts';
import { prepareLaunch } from '../launch.ts';
import { HeadAndTail } from '../output/head-and-tail.ts';
import { runProcess } from '../run-process.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { programInFolder } from '../shell-command.ts';

const timeLimitMs = 3_000;
const maxChanges = 50;
const maxLineCharacters = 300;

/** What a model should know of the machine and the project before it works there. */
export async function describeProject(
  options: CommandWorkOptions,
  git: string | undefined,
  operation: Operation,
  run: WorkRun,
): Promise<Outcome> {
  const read = await options.files.perform(operation, run);
  if (read.status !== 'ok') return read;
  const { branch, ...files } = read.value as ProjectFiles;
  const known = branch === undefined ? null : { branch, changes: null, commits: [], truncated: false };
  const asked = git === undefined ? undefined : await askGit(options, git, operation, run.signal);
  const value: DescribedProject = {
    ...files,
    system: `${systemName()} ${release()} (${arch()})`,
    shell: process.platform === 'win32' ? 'cmd.exe' : '/bin/sh',
    date: localDate(new Date()),
    git: asked ?? known,
  };
  return { status: 'ok', value };
}

/** Settings that keep git from starting programs that the configuration of a repository names. */
const settings = [
  'safe.directory=*',
  'core.quotePath=false',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'diff.external=',
  'log.showSignature=false',
  'status.relativePaths=true',
  'status.submoduleSummary=false',
].flatMap((setting) => ['-c', setting]);

/** No protocol is called `none`: objects that are missing are not fetched, which can start programs too. */
const environmentOfGit = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * Asks git without starting what the configuration of a repository names, because nobody was asked. If git starts something
 * anyway, it is in the sandbox, without the network, and does not see secrets.
 */
async function askGit(
  options: CommandWorkOptions,
  git: string,
  operation: Operation,
  signal: AbortSignal,
): Promise<DescribedProject['git'] | undefined> {
  if (!options.sandbox) return undefined;
  const sandbox = withoutNetwork(options.sandbox);
  const cwd = await options.resolveDirectory(options.roots, operation.workdir);
  const ask = (given: string[], extra: Record<string, string> = {}) =>
    runGit({ options, sandbox, git, cwd, operationId: operation.id, signal }, given, extra);
  const filters = await ask(['config', '--name-only', '--get-regexp', String.raw`^filter\.`]);
  const status = await ask(
    ['status', '--short', '--branch', '--ignore-submodules=all'],
    withoutFilters(filters ?? []),
  );
  if (status === undefined) return undefined;
  const root = rootOf(options.roots, cwd) ?? cwd;
  const [head = '', ...all] = status;
  // Git sees other contents of secrets than there are.
  const changes = all.filter((line) => !isSecret(root, join(cwd, line.slice(3))));
  const log = await ask(['log', '-5', '--no-show-signature', '--format=%h %s']);
  return {
    branch: branchOf(head),
    changes: changes.slice(0, maxChanges).map(shortened),
    commits: (log ?? []).map(shortened),
    truncated: changes.length > maxChanges,
  };
}

/** Of a line such as `## main...origin/main [ahead 1]`. */
function branchOf(line: string): string | null {
  const name = line.replace(/^## (No commits yet on )?/, '').replace(/(\.\.\.| \[).*$/, '');
  return name === '' || name.startsWith('HEAD (') ? null : name;
}

function shortened(line: string): string {
  return line.slice(0, maxLineCharacters);
}

function withoutNetwork({ network: _network, ...sandbox }: Sandbox): Sandbox {
  return { ...sandbox, hasNetwork: false };
}

/** Settings as variables, because the name of a filter can contain an equals sign. */
function withoutFilters(names: readonly string[]): Record<string, string> {
  const entries = [...new Set(names)].map((name) => [name, name.endsWith('.required') ? 'false' : '']);
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(entries.length)],
    ...entries.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
}

interface Asking {
  options: CommandWorkOptions;
  sandbox: Sandbox;
  git: string;
  /** Real. */
  cwd: string;
  operationId: string;
  signal: AbortSignal;
}

/** The lines that git prints; undefined if it fails, as it does outside of repositories. */
async function runGit(
  { options, sandbox, git, cwd, operationId, signal }: Asking,
  given: string[],
  extra: Record<string, string>,
): Promise<string[] | undefined> {
  const { roots, stateFolder, environment } = options;
  const launch = await prepareLaunch({
    operationId,
    cwd,
    roots,
    sandbox,
    environment,
    isRootWritable: false,
    hidesSecrets: true,
    shows: [git],
    command: programInFolder(cwd, [git, ...settings, '--no-pager', '--no-optional-locks', ...given]),
  });
  Object.assign(launch.environment, environmentOfGit, extra);
  const kept = new HeadAndTail();
  const end = await runProcess(launch, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]),
    graceMs: 0,
    pipeFolder: join(stateFolder, 'pipes'),
    onOutput: (chunk) => kept.push(chunk),
    onErrorOutput: () => undefined,
  });
  if (end.exitCode !== 0) return undefined;
  const { text } = kept.read();
  return text.split('\n').filter((line) => line !== '');
}

/** Such as `2026-11-18 (Europe/Berlin)`. */
function localDate(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(0, 10)} (${new Intl.DateTimeFormat().resolvedOptions().timeZone})`;
}
