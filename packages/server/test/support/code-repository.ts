import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface CodeRepository {
  /** A daemon's root; a real path. */
  folder: string;
  /** Beside it: where a daemon keeps its records. */
  stateFolder: string;
  path(name: string): string;
  git(...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false'];

/** A git repository with these files, committed. */
export async function makeRepository(files: Record<string, string>): Promise<CodeRepository> {
  const around = await realpath(await mkdtemp(join(tmpdir(), 'svc-code-')));
  const folder = join(around, 'shop');
  await mkdir(folder);
  const git = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('git', [...identity, ...args], { cwd: folder });
    return stdout;
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  await git('init', '-q', '-b', 'main');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'Start');
  return {
    folder,
    stateFolder: join(around, 'state'),
    path: (name) => join(folder, name),
    git,
    remove: () => rm(around, { recursive: true, force: true }),
  };
}
