// npm run gallery -w @svc/console: takes pictures of every page of the console, with both themes, on a desktop and on a phone.
// SVC_PICTURES is the folder for them; SVC_PAGES=overview,bots takes only those (test/console/gallery/places.ts names them).
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { say } from './lib/project.mjs';

const { INIT_CWD: calledIn = '.', SVC_PICTURES: given } = process.env;
const folder = given ? resolve(calledIn, given) : resolve(tmpdir(), 'svc-pictures');
process.env.SVC_PICTURES = folder;
process.argv.push('packages/server/test/console/gallery');
await import('./test.mjs');
say(`the pictures are in ${folder}`);
