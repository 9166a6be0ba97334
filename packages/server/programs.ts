import { basename, dirname, join, resolve } from 'node:path';

const packages = resolve(import.meta.dirname, '..');

/** What is started by its file, in a thread or process of its own: each is bundled into a file of its own. */
export const programs = [
  'server/src/discover/long-body-worker.ts',
  'server/src/http/docs/reference-script-worker.ts',
  'server/src/knowledge/extraction/child.ts',
  'server/src/knowledge/vector-index/in-process/index-worker.ts',
  'server/src/models/embeddings/builtin/encoder-worker.ts',
  'server/src/pages/page-worker.ts',
  'server/src/validation/json-schema/threads/check-worker.ts',
  'server/src/wiring/openapi-worker.ts',
  'local-speech/src/recognition-program.ts',
  'local-speech/src/silero-program.ts',
].map((file) => join(packages, file));

/** Where the programs are started, the bundled ones take their place. `folder` is an expression for a URL beside them. */
export function startBundled(code: string, path: string, folder: string): string {
  return code.replace(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g, (_, file: string) => {
    const program = resolve(dirname(path), file);
    if (!programs.includes(program)) throw new Error(`${program} is missing from ${import.meta.filename}.`);
    return `new URL('./${basename(program, '.ts')}.mjs', ${folder})`;
  });
}
