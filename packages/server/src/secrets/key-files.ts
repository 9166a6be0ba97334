import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../lib/error-code.ts';
import { keyId } from './key-ring.ts';

const keyBytes = 32;

export type KeyFiles = Awaited<ReturnType<typeof openKeyFiles>>;

/** Keys that the service generated, in files of the data directory. Generates the first one when there is none. */
export async function openKeyFiles(directory: string) {
  const currentPath = join(directory, 'encryption-key');
  const previousPath = join(directory, 'encryption-key.previous');
  /** Every key seen since the start, by id: this process can open what it sealed, even if the files change. */
  const known = new Map<string, Buffer>();
  let current: Buffer | undefined;
  let seen = '';

  function look(): Buffer {
    const { ino, mtimeMs } = statSync(currentPath);
    const version = `${ino} ${mtimeMs}`;
    if (current && version === seen) return current;
    const [first] = readKeys(currentPath);
    if (!first) throw new Error(`${currentPath} is empty: restore it from a backup.`);
    for (const key of [first, ...readKeys(previousPath)]) known.set(keyId(key).toString('hex'), key);
    seen = version;
    current = first;
    return first;
  }

  await mkdir(directory, { recursive: true, mode: 0o700 });
  await createOnce(currentPath, [randomBytes(keyBytes)]);
  look();

  return {
    get current(): Buffer {
      return look();
    },
    find(id: Buffer): Buffer | undefined {
      const name = id.toString('hex');
      // Another process may have generated a key since.
      if (!known.has(name)) look();
      return known.get(name);
    },
    /** Makes a new key current for every process immediately. The previous one still decrypts until `forgetPrevious`. */
    async generate(): Promise<void> {
      // The old keys are saved before anything changes, so a crash between the two writes loses no key.
      await replace(previousPath, [look(), ...readKeys(previousPath)]);
      await replace(currentPath, [randomBytes(keyBytes)]);
      await syncDirectory(directory);
    },
    /** Call this when nothing is sealed under previous keys anymore. */
    async forgetPrevious(): Promise<void> {
      await rm(previousPath, { force: true });
    },
  };
}

/** One key per line; none when there is no such file. */
function readKeys(path: string): Buffer[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const key = Buffer.from(line.trim(), 'base64');
      if (key.length === keyBytes) return key;
      throw new Error(`${path} does not hold ${keyBytes} bytes as base64: restore it from a backup.`);
    });
}

/** Creates the file atomically: a process that starts at the same time must not read half of it. */
async function createOnce(path: string, keys: Buffer[]): Promise<void> {
  // A process that is killed here leaves its draft, so there is none where none is needed.
  if (existsSync(path)) return;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await write(draft, 'wx', keys);
  try {
    await link(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Readers see the old file or the new one, never a mixture. */
async function replace(path: string, keys: Buffer[]): Promise<void> {
  await write(`${path}.new`, 'w', keys);
  await rename(`${path}.new`, path);
}

async function write(path: string, flag: 'w' | 'wx', keys: Buffer[]): Promise<void> {
  const file = await open(path, flag, 0o600);
  try {
    await file.writeFile(keys.map((key) => `${key.toString('base64')}\n`).join(''));
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
