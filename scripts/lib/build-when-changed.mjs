import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder, projectNode, say } from './project.mjs';
import { runProgram } from './run-program.mjs';

/** What browsers load. `written` is what each build writes last. */
const builds = [
  {
    name: 'website widget',
    command: 'npm run build -w @svc/widget',
    program: 'packages/widget/build.ts',
    folders: ['packages/widget/src', 'packages/client/src', 'packages/markdown/src'],
    files: ['packages/widget/minify-styles.ts'],
    written: 'packages/widget/dist/manifest.json',
  },
  {
    name: 'console',
    command: 'npm run build -w @svc/console',
    program: 'packages/console/build.ts',
    folders: [
      'packages/console/src',
      'packages/console/public',
      'packages/client/src',
      'packages/markdown/src',
      'packages/contract/src',
    ],
    files: [
      'packages/console/index.html',
      'packages/console/vite.config.ts',
      'packages/console/first-loads.ts',
      'packages/widget/src/panel/color.ts',
    ],
    written: 'packages/console/dist/index.html',
  },
];

/** The folders that `npm run dev` watches. */
export const browserSources = [...new Set(builds.flatMap(({ folders }) => folders))];

/** Builds what is older than something that it is made of. The service starts without it if that fails. */
export async function ensureBuilt() {
  for (const { name, command, program, folders, files, written } of builds) {
    const builtAt = existsSync(join(projectFolder, written)) ? changedAt(written) : 0;
    if (Math.max(...[...folders, ...files, program, 'package-lock.json'].map(changedAt)) <= builtAt) continue;
    const started = performance.now();
    say(`building the ${name} (only when its sources changed; a few seconds) …`);
    const code = await runProgram(projectNode, [program], { stdio: ['ignore', 'ignore', 'inherit'] });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (code === 0) say(`built the ${name} in ${seconds} s.`);
    else
      say(
        `the ${name} could not be built; the reason is above. ` +
          `${builtAt > 0 ? 'The service starts with the previous one' : 'The service starts without it'}. ` +
          `To try again: ${command}, then npm start.`,
      );
  }
}

/** When a file, or the newest one in a folder, was last changed. A folder changes when one of its files is removed. */
function changedAt(path) {
  const own = statSync(join(projectFolder, path));
  if (!own.isDirectory()) return own.mtimeMs;
  const entries = readdirSync(join(projectFolder, path)).map((name) => changedAt(`${path}/${name}`));
  return Math.max(own.mtimeMs, ...entries);
}
