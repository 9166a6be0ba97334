import type { Sandbox } from './sandbox/sandbox.ts';

/** Nothing runs outside of the folder that was checked, even if that is replaced by a link in the meantime. */
const checkFolder = `
if [ "$(pwd -P)" != "$2" ]; then
  echo "The folder was replaced at the same time; nothing was run." >&2
  exit 126
fi
`;

/** Some shells call the limit on processes -u, others -p. */
const prepareSandbox = `
exec 2>&1
[ -z "$4" ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" 2>/dev/null
printf %s "$3" > "$HOME/.gitconfig"
`;

/** A space in front keeps a command that starts with a dash from being read as an option of the shell. */
const runCommand = `
exec /bin/sh -c " $1"
`;

/** Runs a program in the folder that was checked. */
export function programInFolder(cwd: string, program: [string, ...string[]]): [string, ...string[]] {
  if (process.platform === 'win32') return program;
  return ['/bin/sh', '-c', `${checkFolder}shift 2\nexec "$@"`, 'sh', '', cwd, ...program];
}

/** The program and arguments that run a command line. */
export function shellCommand(
  command: string,
  cwd: string,
  sandbox: Sandbox | undefined,
  maxProcesses: number | undefined,
): [string, ...string[]] {
  if (process.platform === 'win32') return ['cmd.exe', '/d', '/s', '/c', `"${command}"`];
  if (!sandbox) return ['/bin/sh', '-c', `${checkFolder}${runCommand}`, 'sh', command, cwd];
  return [
    '/bin/sh',
    '-c',
    `${prepareSandbox}${checkFolder}${runCommand}`,
    'sh',
    command,
    cwd,
    sandbox.gitSettings,
    maxProcesses === undefined ? '' : String(maxProcesses),
  ];
}
