// npm run gallery -w @svc/console: takes pictures of every page of the console, with both themes, on a desktop and on a phone.
// SVC_PICTURES is the folder for them; SVC_PAGES=overview,bots takes only those (test/console/gallery/gallery-pages.ts names them).
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { chromium, ensureDebianPackages } from './lib/debian-packages.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { withInstallLock } from './lib/install-lock.mjs';
import { main, projectNode, say } from './lib/project.mjs';
import { runProgram } from './lib/run-program.mjs';

const { INIT_CWD: calledIn = '.', SVC_PICTURES: given } = process.env;
const folder = given ? resolve(calledIn, given) : resolve(tmpdir(), 'svc-pictures');
process.env.SVC_PICTURES = folder;

await main(async () => {
  await ensureInstalled({ development: true });
  await withInstallLock(() => ensureDebianPackages([chromium]));
  const tests = 'packages/server/test/console/gallery';
  const code = await runProgram(projectNode, ['node_modules/vitest/vitest.mjs', 'run', tests]);
  if (code === 0) say(`the pictures are in ${folder}`);
  return code;
});
