import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { AppError } from '../../lib/app-error.ts';

export interface BuiltFile {
  name: string;
  etag: string;
  plain: Buffer;
  br: Buffer;
  gzip: Buffer;
}

export interface BuiltFiles {
  loader: BuiltFile;
  /** What the loader loads, by its kind: the panel, and what that loads where it is needed. */
  others: Map<string, BuiltFile>;
}

const widgetFolder = join(import.meta.dirname, '../../../../widget/dist');

/** Reads the built widget at the first request and keeps it: a build that replaces the files takes effect after a restart. */
export function createBuiltFiles(folder = widgetFolder): () => Promise<BuiltFiles> {
  let loaded: Promise<BuiltFiles> | undefined;
  return () => {
    loaded ??= load(folder).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

async function load(folder: string): Promise<BuiltFiles> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Record<
      string,
      string
    >;
    const others = new Map<string, BuiltFile>();
    for (const [kind, name] of Object.entries(manifest)) others.set(kind, await readBuilt(folder, name));
    return { loader: await readBuilt(folder, 'widget.js'), others };
  } catch (error) {
    throw new AppError('NOT_READY', {
      message:
        'The widget is not built: start the service with `npm start`, or run `npm run build -w @svc/widget`.',
      cause: error,
    });
  }
}

async function readBuilt(folder: string, name: string): Promise<BuiltFile> {
  const plain = await readFile(join(folder, name));
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(plain),
    promisify(gzip)(plain, { level: 9 }),
  ]);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { name, etag: `W/"${hash}"`, plain, br, gzip: zipped };
}
