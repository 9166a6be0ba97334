// npm run build -w @svc/widget: writes the files that pages load into dist. Each has the name of the next one's file built in.
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { minifyStyles } from './minify-styles.ts';
import { privateNames } from './private-names.ts';

const sources = join(import.meta.dirname, 'src');
export const widgetFolder = join(import.meta.dirname, 'dist');

/** What the panel loads where it is needed: folders of src, each with a main.ts. */
const lazyParts = ['voice', 'form', 'actions', 'files', 'history', 'teaser'] as const;

const notice = '/*! Contains Preact, copyright Jason Miller, MIT license. */';

const smallStyles: Plugin = {
  name: 'small-styles',
  transform: { filter: { id: /styles\.ts$/ }, handler: minifyStyles },
};

/** Returns the size of each file as it is sent, in bytes. Other builds may run at the same time. */
export async function buildWidget(folder = widgetFolder): Promise<Map<string, number>> {
  const built = new Map<string, string>();
  const parts: Record<string, string> = {};
  for (const part of lazyParts) {
    const code = await bundle({ input: join(sources, part, 'main.ts') }, { format: 'es' });
    const name = nameOf(part, code);
    built.set(name, code);
    parts[part] = name;
  }
  const define = { partFiles: JSON.stringify(parts) };
  const panelCode = await bundle(
    { input: join(sources, 'panel/main.tsx'), transform: { define } },
    { format: 'es', postBanner: notice },
  );
  const panel = nameOf('panel', panelCode);
  const loader = await bundle(
    {
      input: join(sources, 'loader/main.ts'),
      transform: { define: { panelFile: JSON.stringify(panel) } },
    },
    { format: 'iife' },
  );
  // The manifest comes last, so that its readers find the other files.
  const files = new Map([
    ...built,
    [panel, panelCode],
    ['widget.js', loader],
    ['manifest.json', JSON.stringify({ panel, ...parts })],
  ]);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await replaceFile(join(folder, name), text);
  for (const name of await readdir(folder)) {
    if (/^[a-z]+-\w+\.js$/.test(name) && !files.has(name)) await rm(join(folder, name), { force: true });
  }
  return new Map([...files].map(([name, text]) => [name, gzipSync(text, { level: 9 }).length]));
}

function nameOf(kind: string, code: string): string {
  return `${kind}-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
}

async function bundle(input: InputOptions, output: OutputOptions): Promise<string> {
  const bundled = await rolldown({ platform: 'browser', plugins: [smallStyles], ...input });
  const { output: chunks } = await bundled.generate({
    minify: { mangleProps: { include: privateNames } },
    comments: { annotation: false },
    codeSplitting: false,
    ...output,
  });
  await bundled.close();
  return chunks[0].code;
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}

if (import.meta.main) {
  for (const [file, bytes] of await buildWidget())
    process.stdout.write(`dist/${file}  ${bytes} bytes gzipped\n`);
}
