import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { AppError } from '../../lib/app-error.ts';

export interface ConsoleFile {
  type: string;
  etag: string;
  plain: Buffer;
  gzip?: Buffer;
  br?: Buffer;
}

export interface BuiltConsole {
  /** With a placeholder for the nonce and for the theme. */
  page: string;
  files: ReadonlyMap<string, ConsoleFile>;
}

const folder = join(import.meta.dirname, '../../../../console/dist');
const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** The files that the build wrote, read when the console is first opened and kept in memory. */
export function createBuiltConsole(): () => Promise<BuiltConsole> {
  let reading: Promise<BuiltConsole> | undefined;
  return () => {
    reading ??= read().catch((error: unknown) => {
      // The next request tries again: the console may have been built meanwhile.
      reading = undefined;
      throw new AppError('NOT_READY', {
        message:
          'The console is not built. Start the service with npm start, or run npm run build -w @svc/console.',
        cause: error,
      });
    });
    return reading;
  };
}

async function read(): Promise<BuiltConsole> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const assets = join(folder, 'console');
  const names = (await readdir(assets)).filter((name) => types[extname(name)] !== undefined);
  const files = await Promise.all(
    names.map(async (name) => [name, await readOne(join(assets, name))] as const),
  );
  return { page, files: new Map(files) };
}

async function readOne(path: string): Promise<ConsoleFile> {
  const [plain, gzip, br] = await Promise.all([
    readFile(path),
    readFile(`${path}.gz`),
    readFile(`${path}.br`),
  ]);
  return {
    type: types[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(plain).digest('hex').slice(0, 16)}"`,
    plain,
    gzip,
    br,
  };
}
