import { createHash } from 'node:crypto';
import { once as onceEmitted } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, parse } from 'node:path';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { createGunzip } from 'node:zlib';

export interface Asset {
  /** Contains a hash of its content, so that it can be cached forever. */
  url: string;
  type: string;
  body: Buffer;
  encoding?: 'gzip';
  decoded(): NodeJS.ReadableStream;
}

/** The addresses of what every page loads. */
export interface AssetLinks {
  style: string;
  script: string;
  referenceStart: string;
  /** By the name of the file. */
  pictures: ReadonlyMap<string, string>;
}

export type Assets = ReturnType<typeof createAssets>;

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const folder = join(import.meta.dirname, 'assets');
const images = join(import.meta.dirname, '../../../../../docs/images');

/** Files are read when the first page is opened, so that they do not slow down the start. */
export function createAssets() {
  const known = new Map<string, Asset>();
  const small = once(async (): Promise<AssetLinks> => {
    const drawn = (await readdir(images)).filter((file) => file.endsWith('.svg'));
    const [style, script, referenceStart, ...pictures] = await Promise.all([
      read(join(folder, 'docs.css')),
      read(join(folder, 'docs.js')),
      read(join(folder, 'reference.js')),
      ...drawn.map((file) => read(join(images, file))),
    ]);
    return {
      style: style.url,
      script: script.url,
      referenceStart: referenceStart.url,
      pictures: new Map(pictures.map(({ url }, index) => [drawn[index] ?? '', url])),
    };
  });
  /** The large script of the reference, prepared when the reference is first opened. */
  const referenceScript = once(async () =>
    keep('scalar.js', Buffer.from(await loadReferenceScript()), 'gzip'),
  );

  async function read(path: string): Promise<Asset> {
    return keep(parse(path).base, await readFile(path));
  }

  function keep(file: string, body: Buffer, encoding?: 'gzip'): Asset {
    const { name, ext } = parse(file);
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
    const url = `/docs/assets/${name}-${hash}${ext}`;
    const asset: Asset = {
      url,
      type: types[extname(file)] ?? 'application/octet-stream',
      body,
      ...(encoding && { encoding }),
      decoded: () => Readable.from([body]).pipe(createGunzip()),
    };
    known.set(parse(url).base, asset);
    return asset;
  }

  return {
    links: small,
    referenceScript,
    /** By the last part of its address. */
    async find(file: string): Promise<Asset | undefined> {
      await (file.startsWith('scalar-') ? referenceScript() : small());
      return known.get(file);
    },
  };
}

/**
 * The script that renders the reference, gzipped. It is several megabytes of text inside a package, so a thread loads and
 * compresses it, which keeps the event loop free and releases the memory afterward.
 */
async function loadReferenceScript(): Promise<Uint8Array> {
  const worker = new Worker(new URL('./reference-script-worker.ts', import.meta.url));
  try {
    return await Promise.race([
      onceEmitted(worker, 'message').then(([message]) => message as Uint8Array),
      onceEmitted(worker, 'exit').then(([code]) => {
        throw new Error(`The script of the reference could not be loaded (exit code ${code}).`);
      }),
    ]);
  } finally {
    await worker.terminate();
  }
}

/** Runs the work once and keeps its result; after a failure, the next call tries again. */
function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined;
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}
