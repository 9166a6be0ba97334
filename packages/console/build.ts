// npm run build -w @svc/console: writes the console into dist, with compressed copies, and prints what each page loads first.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { type FirstLoad, firstLoads } from './first-loads.ts';

export const consoleFolder = join(import.meta.dirname, 'dist');

/** The most that a page may load before it can be used, in bytes as they are sent with gzip. */
const maxFirstLoadBytes = 350 * 1024;

const compressed = {
  gz: (content: Buffer) => promisify(gzip)(content, { level: 9 }),
  br: (content: Buffer) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
};

/** Throws if a page would load too much. Readers of the folder find every file that index.html names. */
export async function buildConsole(folder = consoleFolder): Promise<FirstLoad[]> {
  const { output } = await bundle();
  const files = new Map([
    ...(await publicFiles()),
    ...output.map((file) => [file.fileName, contentOf(file)] as const),
  ]);
  const sizes = new Map<string, number>();
  const page = 'index.html';
  await Promise.all(
    [...files].map(async ([name, content]) => {
      if (name === page) return;
      const smaller = await compressed.gz(content);
      sizes.set(name, smaller.length);
      await replaceFile(join(folder, name), content);
      await replaceFile(join(folder, `${name}.gz`), smaller);
      await replaceFile(join(folder, `${name}.br`), await compressed.br(content));
    }),
  );
  const loads = firstLoads(output, sizes);
  const tooLarge = loads.filter(({ bytes }) => bytes > maxFirstLoadBytes);
  if (tooLarge.length > 0) {
    const list = tooLarge.map(({ page: name, bytes }) => `${name} ${bytes} bytes`).join(', ');
    throw new Error(`These pages load more than ${maxFirstLoadBytes} bytes first: ${list}.`);
  }
  // Last, because it names the others.
  await replaceFile(join(folder, page), files.get(page) ?? Buffer.alloc(0));
  await removeOthers(folder, files);
  return loads;
}

/** Always for production: while tests run, React would otherwise be built for development. */
async function bundle(): Promise<Rolldown.RolldownOutput> {
  const { NODE_ENV: before } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    const configFile = join(import.meta.dirname, 'vite.config.ts');
    return (await build({
      configFile,
      logLevel: 'warn',
      build: { write: false },
    })) as Rolldown.RolldownOutput;
  } finally {
    if (before === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = before;
  }
}

/** What is served as it is: the icon and the description of the installed app. */
async function publicFiles(): Promise<[string, Buffer][]> {
  const folder = join(import.meta.dirname, 'public/console');
  const names = await readdir(folder);
  return Promise.all(
    names.map(
      async (name): Promise<[string, Buffer]> => [`console/${name}`, await readFile(join(folder, name))],
    ),
  );
}

function contentOf(file: Rolldown.OutputChunk | Rolldown.OutputAsset): Buffer {
  return Buffer.from(file.type === 'chunk' ? file.code : file.source);
}

async function replaceFile(path: string, content: Buffer): Promise<void> {
  const temporary = `${path}.${process.pid}.part`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, content);
  await rename(temporary, path);
}

async function removeOthers(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1).replaceAll('\\', '/');
    // Files of a build that is running at the same time are not ours.
    if (!entry.isFile() || name.endsWith('.part') || files.has(name.replace(/\.(gz|br)$/, ''))) continue;
    await rm(path, { force: true });
  }
}

if (import.meta.main) {
  const loads = await buildConsole();
  for (const { page, bytes } of loads)
    process.stdout.write(`${page.padEnd(40)} ${(bytes / 1024).toFixed(1)} KB gzipped\n`);
}
