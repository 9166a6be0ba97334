import { spawnSync } from 'node:child_process';

/**
 * Whether this machine lets bubblewrap work at all, found out without the code under test: where it does, the tests of the
 * sandbox must run.
 */
export const isSandboxPossible = canRun();

function canRun(): boolean {
  const args = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    'true',
  ];
  const { status, stderr, error } = spawnSync('bwrap', args, { encoding: 'utf8' });
  if (status === 0) return true;
  console.warn(
    `Skipped: all tests of the sandbox. bubblewrap does not work here: ${error?.message ?? stderr.trim()}`,
  );
  return false;
}
