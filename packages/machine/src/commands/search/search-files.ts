import { join } from 'node:path';
import type { Outcome, Search, SearchMatches } from '@svc/contract/machine-protocol';
import { displayPath, rootOf } from '../../confine/paths.ts';
import { isSecret } from '../../confine/secrets.ts';
import type { Operation } from '../../operations/work.ts';
import { searchLimits } from '../../search-limits.ts';
import type { CommandWorkOptions } from '../command-work-options.ts';
import { prepareLaunch } from '../launch.ts';
import { runProcess } from '../run-process.ts';
import { programInFolder } from '../shell-command.ts';
import { MatchParser } from './parse-matches.ts';

const timeLimitMs = 15_000;

export interface FolderSearch {
  operation: Operation;
  /** Real. */
  workdir: string;
  /** The folder to search. Real. */
  folder: string;
}

/**
 * Searches a folder with ripgrep, in the sandbox where there is one. Ripgrep opens files by their path: without a sandbox, a
 * process of this machine could lead it out of the root by replacing a folder with a link at the right moment.
 */
export async function searchFiles(
  options: CommandWorkOptions,
  ripgrep: string,
  { operation, workdir, folder: cwd }: FolderSearch,
  signal: AbortSignal,
): Promise<Outcome> {
  const { roots, sandbox, stateFolder, environment } = options;
  const search = operation.arguments as Search;
  if (search.query.includes('\0') || search.glob?.includes('\0')) {
    return { status: 'error', message: 'The search contains a NUL character.' };
  }
  const launch = await prepareLaunch({
    operationId: operation.id,
    cwd,
    roots,
    sandbox,
    environment,
    isRootWritable: false,
    // What it finds is checked file by file.
    hidesSecrets: false,
    shows: [ripgrep],
    command: programInFolder(cwd, [ripgrep, ...ripgrepArguments(search)]),
  });
  const found: SearchMatches = { matches: [], truncated: false, engine: 'ripgrep' };
  const enough = new AbortController();
  const timeLimit = AbortSignal.timeout(timeLimitMs);
  let errors = '';
  const root = rootOf(roots, cwd) ?? cwd;
  const parser = new MatchParser(({ path, line, text }) => {
    // Left out even if the search was approved: nobody saw which files it would find.
    if (isSecret(root, join(cwd, path))) return;
    if (found.matches.length < searchLimits.maxMatches) {
      found.matches.push({ path: displayPath(workdir, join(cwd, path)), line, text: text.trimEnd() });
    } else {
      found.truncated = true;
      enough.abort();
    }
  });
  const end = await runProcess(launch, {
    signal: AbortSignal.any([signal, timeLimit, enough.signal]),
    graceMs: 0,
    pipeFolder: join(stateFolder, 'pipes'),
    onOutput: (chunk) => parser.push(chunk),
    onErrorOutput: (chunk) => {
      if (errors.length < 2000) errors += chunk.toString();
    },
  });
  if (signal.aborted) return { status: 'error', message: 'The search was cancelled.' };
  if (timeLimit.aborted) found.truncated = true;
  // Exit code 2 alone may be about single files that cannot be read.
  const isFailed = end.sandboxFailure !== undefined || (end.exitCode !== 0 && errors !== '');
  if (isFailed && found.matches.length === 0) {
    return { status: 'error', message: `The search failed: ${(errors || end.sandboxFailure)?.trim()}` };
  }
  return { status: 'ok', value: found };
}

/** As the built-in search does it: hidden files too, but nothing in .git, in node_modules or ignored by .gitignore. */
function ripgrepArguments({ query, regex, ignore_case, glob }: Search): string[] {
  return [
    '--no-config',
    '--no-follow',
    '--no-messages',
    '--no-ignore-global',
    '--no-ignore-dot',
    '--no-require-git',
    '--hidden',
    '--color=never',
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--no-column',
    '--null',
    '--sort=path',
    `--max-filesize=${searchLimits.maxFileMegabytes}M`,
    `--max-columns=${searchLimits.maxLineLength}`,
    '--max-columns-preview',
    ...(regex ? [] : ['--fixed-strings']),
    ...(ignore_case ? ['--ignore-case'] : ['--case-sensitive']),
    ...(glob === undefined ? [] : [`--glob=${glob.replace(/^(?:\.\/)+/, '')}`]),
    '--glob=!.git',
    '--glob=!node_modules',
    // In one argument, so that a query that starts with a dash is not an option.
    `--regexp=${query}`,
    '--',
    '.',
  ];
}
