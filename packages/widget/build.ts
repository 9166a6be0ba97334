// npm run build -w @svc/widget: writes the files that pages load into dist. The loader has the name of the panel's file built in.
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { minifyStyles } from './minify-styles.ts';

const sources = join(import.meta.dirname, 'src');
export const widgetFolder = join(import.meta.dirname, 'dist');

const notice = '/*! Contains Preact, copyright Jason Miller, MIT license. */';

const smallStyles: Plugin = {
  name: 'small-styles',
  transform: { filter: { id: /styles\.ts$/ }, handler: minifyStyles },
};

/** Lifecycle methods and options of Preact and names of ours, which nothing outside of their file knows and nothing stores. */
const ownNames =
  /^(component(Will|Did)\w+|getDerivedState\w+|shouldComponentUpdate|getSnapshotBeforeUpdate|getChildContext|debounceRendering|contextType|isHandedOff|lastEventId|isLoaded|isOnline|isVisible|nextFrame|setTrouble|reconnect|sendAll|moveOn|onReached|onLoaded|onBlocked|startNewConversation|isComplete|linkNote|dependencies|cells|cleanUp|activity|trouble|hasNews|isAway|goToEnd|store|view|conversation|subscribe|setOpen|retryAfter|restart|onEvent|retryAt|isFirst|botName|isOpen|current|effect|failure|identity|forget|storage|sourceUrl|phase|explain|leave|saved|update|isVisible|pace|wake|changed|retry|draft)$/;

/** Returns the size of each file as it is sent, in bytes. Other builds may run at the same time. */
export async function buildWidget(folder = widgetFolder): Promise<Map<string, number>> {
  const workletCode = await bundle({ input: join(sources, 'voice/worklet.ts') }, { format: 'es' });
  const worklet = nameOf('worklet', workletCode);
  const voiceCode = await bundle(
    {
      input: join(sources, 'voice/main.ts'),
      transform: { define: { workletFile: JSON.stringify(worklet) } },
    },
    { format: 'es' },
  );
  const voice = nameOf('voice', voiceCode);
  const panelCode = await bundle(
    { input: join(sources, 'panel/main.tsx'), transform: { define: { voiceFile: JSON.stringify(voice) } } },
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
    [worklet, workletCode],
    [voice, voiceCode],
    [panel, panelCode],
    ['widget.js', loader],
    ['manifest.json', JSON.stringify({ panel, voice, worklet })],
  ]);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await replaceFile(join(folder, name), text);
  for (const name of await readdir(folder)) {
    if (/^(panel|voice|worklet)-\w+\.js$/.test(name) && !files.has(name))
      await rm(join(folder, name), { force: true });
  }
  return new Map([...files].map(([name, text]) => [name, gzipSync(text, { level: 9 }).length]));
}

function nameOf(kind: string, code: string): string {
  return `${kind}-${createHash('sha256').update(code).digest('hex').slice(0, 16)}.js`;
}

async function bundle(input: InputOptions, output: OutputOptions): Promise<string> {
  const bundled = await rolldown({ platform: 'browser', plugins: [smallStyles], ...input });
  const { output: chunks } = await bundled.generate({
    minify: { mangleProps: { include: ownNames } },
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
