import { execFile } from 'node:child_process';

const timeLimitInMilliseconds = 120_000;

interface ProgramResult {
  succeeded: boolean;
  output: string;
}

/** Runs a program to its end; failing is a result, not an exception. */
export function runProgram(command: readonly string[]): Promise<ProgramResult> {
  const [program, ...parameters] = command;
  if (program === undefined) throw new TypeError('A command needs a program.');
  return new Promise((resolve) => {
    execFile(
      program,
      parameters,
      { timeout: timeLimitInMilliseconds, windowsHide: true },
      (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`.trim();
        resolve({ succeeded: error === null, output: output === '' && error ? error.message : output });
      },
    );
  });
}
