import { dirname, relative } from 'node:path';
import type { DescribedProject } from '@svc/contract/machine-protocol';
import { Refusal } from '../../confine/refusal.ts';
import type { Workdir } from '../../confine/workdir.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';

const names = ['AGENTS.md', 'CLAUDE.md'];
const maxFileCharacters = 16 * 1024;
const maxTotalCharacters = 32 * 1024;
const maxIncluded = 50;
const maxListed = 50;

/** What can be read of a project without running anything. */
export type ProjectFiles = Pick<DescribedProject, 'workdir' | 'instructions' | 'more_instructions'> & {
  /** Undefined outside of a repository, null if no branch is checked out. */
  branch?: string | null;
};

/** The files that a project has for agents: in its folder, in those above it up to the root, and in those below. */
export function describeProject(workdir: Workdir): ProjectFiles {
  const above = foldersUpTo(workdir).flatMap((folder) => names.map((name) => `${folder}${name}`));
  const below = names.flatMap((name) =>
    listFiles(workdir, { pattern: `**/${name}` }).entries.map(({ path }) => path),
  );
  const instructions: DescribedProject['instructions'] = [];
  const more: string[] = [];
  let left = maxTotalCharacters;
  for (const path of new Set([...above, ...below.toSorted(byDepth)])) {
    const text = textOf(workdir, path);
    // A link, or a copy, is often there for another program.
    if (text === undefined || instructions.some((other) => other.text === text)) continue;
    if (left === 0 || instructions.length === maxIncluded) {
      if (more.length < maxListed) more.push(path);
      continue;
    }
    const kept = text.slice(0, Math.min(maxFileCharacters, left));
    left -= kept.length;
    instructions.push({ path, text: kept, truncated: kept.length < text.length });
  }
  return { workdir: workdir.path, instructions, more_instructions: more, ...branchOf(workdir) };
}

function branchOf(workdir: Workdir): Pick<ProjectFiles, 'branch'> {
  for (const folder of foldersUpTo(workdir).toReversed()) {
    const head = textOf(workdir, `${folder}.git/HEAD`);
    if (head !== undefined) return { branch: /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? null };
  }
  return {};
}

/** From the root to the working directory, as relative paths that end with a slash, or are empty. */
function foldersUpTo({ root, path }: Workdir): string[] {
  const folders: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    const name = relative(path, folder);
    folders.unshift(name === '' ? '' : `${name}/`);
    if (folder === root || folder === dirname(folder)) return folders;
  }
}

function byDepth(one: string, other: string): number {
  return one.split('/').length - other.split('/').length || (one < other ? -1 : 1);
}

/** Undefined if there is none, or none that can be read. */
function textOf(workdir: Workdir, path: string): string | undefined {
  try {
    const { text } = readFile(workdir, { path });
    return text.trim() === '' ? undefined : text;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
