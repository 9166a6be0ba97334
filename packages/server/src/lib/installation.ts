import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../..');
/** The published package has no sources. */
const isClone = existsSync(join(root, 'packages/server/src/main.ts'));

/** Relative paths in the configuration start here: in a clone, whatever the working directory is. */
export const baseFolder = isClone ? root : process.cwd();
/** How a person types the command of the service. */
export const svcCommand = isClone ? 'npm run svc --' : 'npx svc';
/** How speech without a key is installed. */
export const voiceInstallCommand = isClone ? 'npm run voice:install' : 'npx svc voice install';
/** What that command runs. */
export const voiceInstallScript = join(root, 'scripts/voice-install.mjs');
