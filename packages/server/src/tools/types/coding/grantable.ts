import { plainCommand } from '@svc/contract/allowed-commands';
import { isSensitivePath } from '@svc/contract/sensitive-path';
import { isInside } from '../../../lib/is-inside.ts';
import type { Grantable } from '../../tool-type.ts';

/** Programs run what is in these folders without being told to, so every change in them is asked about. */
const runByPrograms = new Set(['.git', '.hg', '.svn', '.husky', '.vscode', '.idea', '.devcontainer']);

/** Changes of files can be allowed for the working directory. The paths are real ones, as the machine reports them. */
export function grantableChange(
  machineId: string,
  workdir: string | undefined,
  paths: readonly string[],
): Grantable | undefined {
  if (workdir === undefined || paths.length === 0) return undefined;
  const isPlain = (path: string) =>
    isInside(path, workdir) &&
    !isSensitivePath(path) &&
    !namesOf(path).some((name) => runByPrograms.has(name));
  return paths.every(isPlain)
    ? { kind: 'edits', machineId, directory: workdir, paths: [...paths] }
    : undefined;
}

/** Only a command of plain words can be allowed: any shell syntax could run something else the next time. */
export function grantableCommand(machineId: string, cwd: string, command: string): Grantable | undefined {
  const plain = plainCommand(command);
  return plain === undefined ? undefined : { kind: 'command', machineId, directory: cwd, command: plain };
}

function namesOf(path: string): string[] {
  return path.toLowerCase().split(/[\\/]/);
}
