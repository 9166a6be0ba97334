import type { Search } from '@svc/contract/machine-protocol';
import { searchLimits } from '../../search-limits.ts';

/** As the built-in search does it: hidden files too, but nothing in .git, in node_modules or ignored by .gitignore. */
export function ripgrepArguments({ query, regex, ignore_case, glob }: Search): string[] {
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
