import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../..');
/** The published package has no sources. */
const isClone = existsSync(join(root, 'packages/server/src/main.ts'));

/** Relative paths in the configuration start here: in a clone, whatever the working directory is. */
export const baseFolder = isClone ? root : process.cwd();
/** Among the packages of a folder. Installed globally or in an image it is on the PATH, and npx might fetch something else. */
const isForNpx = basename(dirname(root)) === 'node_modules' && basename(resolve(root, '../..')) !== 'lib';
const packageCommand = isForNpx ? 'npx svc' : 'svc';
/** How a person types the command of the service. */
export const svcCommand = isClone ? 'npm run svc --' : packageCommand;
/** How speech without a key is installed. */
export const voiceInstallCommand = isClone ? 'npm run voice:install' : `${packageCommand} voice install`;
/** What that command runs. */
export const voiceInstallScript = join(root, 'scripts/voice-install.mjs');
