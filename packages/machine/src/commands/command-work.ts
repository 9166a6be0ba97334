import type { Outcome } from '@svc/contract/machine-protocol';
import type { Operation, Work, WorkRun } from '../operations/work.ts';
import { type BackgroundLimits, createBackgroundProcesses } from './background/background-processes.ts';
import type { CommandWorkOptions } from './command-work-options.ts';
import { markerName } from './environment/command-environment.ts';
import { findProgram } from './environment/find-program.ts';
import { endTree } from './process-tree/end-tree.ts';
import { describeProject } from './project/describe-project.ts';
import { runCommand } from './run-command.ts';
import { searchFiles } from './search/search-files.ts';

interface CommandWork extends Work {
  /** Does something else for a conversation, whose processes in the background continue to run. */
  during<Result>(conversationId: string | null, work: () => Promise<Result>): Promise<Result>;
}

/** Runs commands, and searches folders with ripgrep. */
export function createCommandWork(
  options: CommandWorkOptions,
  limits?: Partial<BackgroundLimits>,
): CommandWork {
  const ripgrep = findProgram('rg', options.environment['PATH'], options.roots);
  const git = findProgram('git', options.environment['PATH'], options.roots);
  const background = createBackgroundProcesses(options, limits);
  const closing = new AbortController();
  const running = new Set<Promise<Outcome>>();

  async function carryOut(operation: Operation, run: WorkRun): Promise<Outcome> {
    if (operation.name === 'start_process') return background.start(operation, run);
    if (operation.name === 'read_process' || operation.name === 'stop_process')
      return background.handle(operation, run);
    if (operation.name === 'run_command') return runCommand(options, operation, run);
    if (operation.name === 'describe_project') return describeProject(options, git, operation, run);
    if (operation.name !== 'search') throw new Error(`${operation.name} is not an operation of commands.`);
    const folder = ripgrep && (await findFolder(operation));
    if (!ripgrep || !folder) return options.files.perform(operation, run);
    return searchFiles(options, ripgrep, { operation, ...folder }, run.signal);
  }

  /** Undefined if the search is for a single file, or something is wrong, which the built-in search explains. */
  async function findFolder({ workdir, arguments: { path } }: Operation) {
    try {
      const { roots, resolveDirectory } = options;
      const base = await resolveDirectory(roots, workdir);
      return { workdir: base, folder: await resolveDirectory(roots, workdir, path as string | undefined) };
    } catch {
      // The built-in search reports what is wrong.
      return undefined;
    }
  }

  return {
    async perform(operation, { signal, onProgress }) {
      const run = { signal: AbortSignal.any([signal, closing.signal]), onProgress };
      const outcome = background
        .during(operation.conversationId ?? null, () => carryOut(operation, run))
        .catch((error: unknown): Outcome => ({ status: 'error', message: messageOf(error) }));
      running.add(outcome);
      return outcome.finally(() => running.delete(outcome));
    },

    during: background.during,

    async recover({ id, name }) {
      // Ends what the sandbox or the watchdog did not end together with the crashed daemon.
      if (process.platform !== 'win32') await endTree(undefined, `${markerName}=${id}`, 0);
      if (name === 'search')
        return { status: 'error', message: 'The search was interrupted; it can be repeated.' };
      if (name === 'start_process')
        return { status: 'error', message: 'The daemon on the machine ended, and the process with it.' };
      const message =
        'The daemon on the machine ended while the command was running. What the command has done until then is unknown; it does not run any more.';
      return { status: 'unknown', message };
    },

    async close() {
      closing.abort();
      await background.close();
      await Promise.allSettled(running);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
