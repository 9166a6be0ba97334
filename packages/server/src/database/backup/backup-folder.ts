import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { errorCode } from '../../lib/error-code.ts';
import type { BackupKey } from './backup-key.ts';
import { maxChunkBytes } from './chunk-splitter.ts';
import { lockFolder } from './folder-lock.ts';
import { type ChunkReference, isBackupId, type Manifest, manifestFormat } from './manifest.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The beginning of every file: what it is, and the version of its format. */
const signature = Buffer.from('svcbackup1');
const maxManifestBytes = 1024 ** 3;
/** What cannot be compressed grows a little. */
const spareBytes = 64 * 1024;
/** Follows no link, which could lead to any other file, and does not wait for a pipe. Windows has neither option. */
const plainFileOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export type BackupFolder = ReturnType<typeof openBackupFolder>;

export interface BackupList {
  manifests: Manifest[];
  problems: Error[];
}

/**
 * The folder with backups:
 *
 * - `chunks/ab/abcd…`: rows of a table, compressed and encrypted, named by a keyed hash of what they contain
 * - `backups/ID`: a manifest, which makes a backup of them
 * - `unfinished/`: files that are being written
 * - `lock`: of the process that writes
 *
 * Whatever else is in it stays untouched.
 */
export function openBackupFolder(root: string, key: BackupKey) {
  const folders = {
    backups: join(root, 'backups'),
    chunks: join(root, 'chunks'),
    unfinished: join(root, 'unfinished'),
  };
  const placeOf = (name: string) => join(folders.chunks, name.slice(0, 2), name);
  /** Folders that got a file since they were last synced. */
  const changed = new Set<string>();

  async function write(path: string, content: Buffer, context: string): Promise<number> {
    const sealed = Buffer.concat([signature, key.seal(await compress(content), context)]);
    const draft = join(folders.unfinished, randomUUID());
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(sealed);
        await file.datasync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw explainWriting(error, root);
    }
    changed.add(dirname(path));
    return sealed.length;
  }

  async function read(path: string, context: string, maxBytes: number): Promise<Buffer> {
    const file = await open(path, plainFileOnly);
    try {
      if ((await file.stat()).size > maxBytes + spareBytes)
        throw new Error('It is larger than any file of a backup.');
      const sealed = await file.readFile();
      if (!sealed.subarray(0, signature.length).equals(signature))
        throw new Error('It is not a file of a backup.');
      const content = key.open(sealed.subarray(signature.length), context);
      return await decompress(content, { maxOutputLength: maxBytes });
    } finally {
      await file.close();
    }
  }

  /** A power failure must not leave a manifest whose chunks are not there. */
  async function syncFolders(): Promise<void> {
    for (const path of process.platform === 'win32' ? [] : changed) {
      const folder = await open(path, 'r');
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
    }
    changed.clear();
  }

  async function makeFolder(path: string): Promise<void> {
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw explainWriting(error, root);
    }
    if (!(await lstat(path)).isDirectory()) throw new Error(`${path} must be a folder, not a link.`);
  }

  async function readManifest(id: string): Promise<Manifest> {
    const path = join(folders.backups, id);
    let content: Buffer;
    try {
      content = await read(path, contextOf('manifest', id), maxManifestBytes);
    } catch (error) {
      if (errorCode(error) === 'ENOENT')
        throw new Error(`There is no backup ${id} in ${root}.`, { cause: error });
      throw new Error(
        `${path} cannot be read with this SVC_BACKUP_KEY: it was written with another key, or is damaged.`,
        { cause: error },
      );
    }
    const manifest = JSON.parse(content.toString()) as Manifest;
    if (manifest.format > manifestFormat)
      throw new Error(
        `The backup ${id} was written by svc ${manifest.release}, in a format that this older version cannot read.`,
      );
    return manifest;
  }

  async function readChunk(name: string): Promise<Buffer> {
    const path = placeOf(name);
    let content: Buffer;
    try {
      content = await read(path, contextOf('chunk', name), maxChunkBytes);
    } catch (error) {
      const problem = errorCode(error) === 'ENOENT' ? 'is missing' : 'cannot be read, or was changed';
      throw new Error(`The backup is damaged: ${path} ${problem}.`, { cause: error });
    }
    if (key.nameOf(content) !== name)
      throw new Error(`The backup is damaged: ${path} has the content of another file.`);
    return content;
  }

  return {
    root,
    readChunk,
    readManifest,

    /** Prepares it for writing, creating it if need be, and locks it. What processes that were killed left behind is removed. */
    async lock() {
      await makeFolder(root);
      for (const path of Object.values(folders)) await makeFolder(path);
      const lock = await lockFolder(root).catch((error: unknown) => {
        throw explainWriting(error, root);
      });
      for (const name of await readdir(folders.unfinished))
        if (isUnfinished(name)) await rm(join(folders.unfinished, name), { force: true });
      return lock;
    },

    /** All backups that can be read, oldest first, and why others cannot. Throws if none of those that are there can be read. */
    async list(): Promise<BackupList> {
      const ids = (await readFolder(folders.backups)).filter(isBackupId).toSorted();
      const manifests: Manifest[] = [];
      const problems: Error[] = [];
      for (const id of ids)
        await readManifest(id).then(
          (manifest) => manifests.push(manifest),
          (error: Error) => problems.push(error),
        );
      const [problem] = problems;
      if (problem && manifests.length === 0) throw problem;
      return { manifests, problems };
    },

    /**
     * Writes a chunk unless it is there. One of an earlier backup is known by its size; one that a backup left behind when it
     * was broken off is read, and written again if it is damaged.
     */
    async saveChunk(
      content: Buffer,
      sizeOf: (name: string) => number | undefined,
    ): Promise<{ reference: ChunkReference; isNew: boolean }> {
      const name = key.nameOf(content);
      const path = placeOf(name);
      const found = await fileSize(path);
      const isThere =
        found !== undefined &&
        (found === sizeOf(name) || (sizeOf(name) === undefined && (await isReadable(name))));
      if (isThere) return { reference: [name, found], isNew: false };
      await makeFolder(dirname(path));
      return { reference: [name, await write(path, content, contextOf('chunk', name))], isNew: true };
    },

    async saveManifest(manifest: Manifest): Promise<void> {
      await syncFolders();
      const content = Buffer.from(JSON.stringify(manifest));
      await write(join(folders.backups, manifest.id), content, contextOf('manifest', manifest.id));
      await syncFolders();
    },

    /** Removes backups, and all chunks that none of the others has. Call it while the folder is locked. */
    async remove(ids: readonly string[], kept: readonly Manifest[]): Promise<number> {
      for (const id of ids) await rm(join(folders.backups, id), { force: true });
      const needed = new Set(
        kept.flatMap(({ tables }) => tables.flatMap(({ chunks }) => chunks.map(([name]) => name))),
      );
      let removed = 0;
      for (const part of (await readFolder(folders.chunks)).filter((name) => /^[0-9a-f]{2}$/.test(name)))
        for (const name of await readFolder(join(folders.chunks, part))) {
          if (!/^[0-9a-f]{64}$/.test(name) || needed.has(name)) continue;
          await rm(placeOf(name), { force: true });
          removed += 1;
        }
      return removed;
    },
  };

  async function isReadable(name: string): Promise<boolean> {
    return readChunk(name).then(
      () => true,
      () => false,
    );
  }
}

function contextOf(kind: 'chunk' | 'manifest', name: string): string {
  return `svc backup ${kind} ${name}`;
}

const isUnfinished = (name: string): boolean => /^[0-9a-f-]{36}$/.test(name);

async function readFolder(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Undefined where there is no plain file. */
async function fileSize(path: string): Promise<number | undefined> {
  try {
    const found = await lstat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const writingProblems: Record<string, string> = {
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk is full',
  EFBIG: 'The file system accepts no larger file',
  EACCES: 'This user may not write there',
  EPERM: 'This user may not write there',
  EROFS: 'It cannot be written to',
  ENOTDIR: 'A part of its path is not a folder',
  EEXIST: 'A part of its path is not a folder',
  ENOENT: 'A part of its path was removed',
};

function explainWriting(error: unknown, root: string): unknown {
  const problem = writingProblems[errorCode(error) ?? ''];
  if (problem === undefined) return error;
  return new Error(
    `The backup cannot be written to ${root}: ${problem}. Run the command again afterwards: it writes only what is missing.`,
    { cause: error },
  );
}
