import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const page = join(import.meta.dirname, '../../../../console/dist/index.html');

/** Changes with every build of the console, because its page names its files, and they are named after their content. */
export async function consoleRelease(): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(page))
      .digest('hex')
      .slice(0, 12);
  } catch {
    return 'unbuilt';
  }
}
