import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder, projectNode, say } from './project.mjs';
import { runProgram } from './run-program.mjs';

/** What the website widget is built from. */
export const widgetSources = ['packages/widget/src', 'packages/markdown/src'];
const otherSources = ['packages/widget/build.ts', 'packages/widget/minify-styles.ts', 'package-lock.json'];
/** Written last. */
const manifest = 'packages/widget/dist/manifest.json';

/** Builds the website widget if something that it is made of is newer. The service starts without it if that fails. */
export async function ensureWidgetBuilt() {
  const builtAt = existsSync(join(projectFolder, manifest)) ? changedAt(manifest) : 0;
  if (Math.max(...[...widgetSources, ...otherSources].map(changedAt)) <= builtAt) return;
  say('building the website widget …');
  const code = await runProgram(projectNode, ['packages/widget/build.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (code !== 0) say('the website widget could not be built: everything else works without it.');
}

/** When a file, or the newest one in a folder, was last changed. A folder changes when one of its files is removed. */
function changedAt(path) {
  const own = statSync(join(projectFolder, path));
  if (!own.isDirectory()) return own.mtimeMs;
  const entries = readdirSync(join(projectFolder, path)).map((name) => changedAt(`${path}/${name}`));
  return Math.max(own.mtimeMs, ...entries);
}
