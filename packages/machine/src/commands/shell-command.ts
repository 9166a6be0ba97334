import type { Sandbox } from './sandbox/sandbox.ts';

/** The command runs only in the folder that was checked, even if that is replaced by a link in the meantime. */
const checkFolder = `
if [ "$(pwd -P)" != "$2" ]; then
  echo "The folder was replaced while the command was being started; it was not run." >&2
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

export interface ShellCommand {
  command: string;
  cwd: string;
  sandbox: Sandbox | undefined;
  maxProcesses: number | undefined;
}

/** The program and arguments that run a command line. */
export function shellCommand({ command, cwd, sandbox, maxProcesses }: ShellCommand): [string, ...string[]] {
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
