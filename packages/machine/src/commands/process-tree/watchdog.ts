import { type ChildProcess, spawn } from 'node:child_process';
import { systemPath } from '../environment/system-path.ts';

/**
 * Ends what is left of a command when the daemon is killed: this shell then reads the end of its input. It first reads the
 * number of the command's group, and any further line means that the command has ended normally.
 */
const script = `
read -r group
read -r end && exit 0
[ -n "$group" ] && kill -KILL "-$group"
for round in 1 2 3 4 5; do
  for file in $(grep -l -s -a -F -e "$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}"
  done
done
`;

/** Only for commands outside of the sandbox, which the kernel ends together with the daemon. */
export function startWatchdog(marker: string) {
  if (process.platform === 'win32') return undefined;
  const child: ChildProcess = spawn('/bin/sh', ['-c', script, 'sh', marker], {
    detached: true,
    env: { PATH: systemPath },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without it the command still runs; the next start of the daemon ends what is left.
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.unref();
  return {
    watch: (group: number) => void child.stdin?.write(`${group}\n`),
    stop: () => void child.stdin?.end('\nend\n'),
  };
}
