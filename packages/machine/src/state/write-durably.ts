import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces a file so that a crash or a power cut leaves either the old content or the new. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await writeAndClose(await open(temporary, 'w', 0o600), text);
    await rename(temporary, path);
  } catch (error) {
    // The first error says what is wrong.
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Creates a file that survives a power cut; fails if it exists. No file is left if it fails. */
export async function createDurably(path: string, text = ''): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeAndClose(file, text);
    await syncFolder(dirname(path));
  } catch (error) {
    // The first error says what is wrong.
    await unlink(path).catch(() => undefined);
    throw error;
  }
}

async function writeAndClose(file: FileHandle, text: string): Promise<void> {
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes names durable: created, renamed and removed files. Windows cannot sync folders and does not need it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
