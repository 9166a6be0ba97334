import { arch, release, type as systemName } from 'node:os';
import { join } from 'node:path';
import type { DescribedProject, Outcome } from '@svc/contract/machine-protocol';
import type { ProjectFiles } from '../../files/read/describe-project.ts';
import type { Operation, WorkRun } from '../../operations/work.ts';
import type { CommandWorkOptions } from '../command-work-options.ts';
import { prepareLaunch } from '../launch.ts';
import { HeadAndTail } from '../output/head-and-tail.ts';
import { runProcess } from '../run-process.ts';
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

/**
 * Asks git only in the sandbox: the configuration of a repository can name programs that git starts, and here nobody was asked.
 */
async function askGit(
  options: CommandWorkOptions,
  git: string,
  operation: Operation,
  signal: AbortSignal,
): Promise<DescribedProject['git'] | undefined> {
  if (!options.sandbox) return undefined;
  const status = await runGit(options, git, operation, ['status', '--short', '--branch'], signal);
  if (status === undefined) return undefined;
  const [head = '', ...changes] = status;
  const log = await runGit(options, git, operation, ['log', '-5', '--format=%h %s'], signal);
  return {
    branch: branchOf(head),
    changes: changes.slice(0, maxChanges),
    commits: log ?? [],
    truncated: changes.length > maxChanges,
  };
}

/** Of a line such as `## main...origin/main [ahead 1]`. */
function branchOf(line: string): string | null {
  const name = line.replace(/^## (No commits yet on )?/, '').replace(/(\.\.\.| \[).*$/, '');
  return name === '' || name.startsWith('HEAD (') ? null : name;
}

/** The lines that git prints; undefined if it fails, as it does outside of repositories. */
async function runGit(
  { roots, sandbox, stateFolder, environment, resolveDirectory }: CommandWorkOptions,
  git: string,
  { id, workdir }: Operation,
  given: string[],
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const cwd = await resolveDirectory(roots, workdir);
  const settings = ['-c', 'safe.directory=*', '-c', 'core.quotePath=false', '--no-optional-locks'];
  const launch = await prepareLaunch({
    operationId: id,
    cwd,
    roots,
    sandbox,
    environment,
    isRootWritable: false,
    shows: [git],
    command: programInFolder(cwd, [git, ...settings, ...given]),
  });
  const kept = new HeadAndTail();
  const end = await runProcess(launch, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]),
    graceMs: 0,
    pipeFolder: join(stateFolder, 'pipes'),
    onOutput: (chunk) => kept.push(chunk),
    onErrorOutput: () => undefined,
  });
  if (end.exitCode !== 0) return undefined;
  const lines = kept
    .read()
    .text.split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => line.slice(0, maxLineCharacters));
}

/** Such as `2026-11-18 (Europe/Berlin)`. */
function localDate(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return `${local.slice(0, 10)} (${new Intl.DateTimeFormat().resolvedOptions().timeZone})`;
}
