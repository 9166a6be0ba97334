import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, readFileSync } from 'node:fs';
import type { Location } from '../../confine/locate.ts';
import { isGitName } from '../../confine/names.ts';
import { openRegular } from '../../confine/open-regular.ts';
import { displayPath, namesOf } from '../../confine/paths.ts';
import { explaining, quote, Refusal } from '../../confine/refusal.ts';
import { isSecret, requireNoSecret } from '../../confine/secrets.ts';
import { locateIn, type Workdir } from '../../confine/workdir.ts';
import { decode, requireText } from '../read/text.ts';

/** A file's content on the disk, when the change was prepared. */
export interface CurrentFile {
  bytes: Buffer;
  text: string;
  hash: string;
  stat: BigIntStats;
}

/** A file as it is and as it will be; null stands for no file. */
export interface DraftFile {
  location: Location & { name: string };
  /** The real path as the model knows it. */
  shown: string;
  /** Its content must not be shown. */
  hasSecrets: boolean;
  current: CurrentFile | null;
  text: string | null;
  /** Whether it will be executable; undefined keeps what it is. */
  executable?: boolean;
  /** The file whose content it takes over, for the diff. */
  renamedFrom?: DraftFile;
}

export type Draft = ReturnType<typeof createDraft>;

export const maxEditedBytes = 10 * 1024 * 1024;
const maxFiles = 500;
const maxTotalBytes = 50 * 1024 * 1024;

/** A change that is being prepared. Nothing is written. */
export function createDraft(workdir: Workdir) {
  const files = new Map<string, DraftFile>();
  let total = 0;
  return {
    open(path: string): DraftFile {
      if (/[\\/]$/.test(path)) throw new Refusal(`${quote(path)} names a folder, not a file.`);
      const location = locateIn(workdir, path);
      const known = files.get(location.path);
      if (known) return known;
      const file = openDraft(workdir, path, location);
      total += file.current?.bytes.length ?? 0;
      if (files.size === maxFiles || total > maxTotalBytes)
        throw new Refusal(
          `One change may have at most ${maxFiles} files with ${maxTotalBytes} bytes; split it.`,
        );
      files.set(location.path, file);
      return file;
    },
    files: (): DraftFile[] => [...files.values()],
  };
}

function openDraft(workdir: Workdir, path: string, location: Location): DraftFile {
  const { name, stat } = location;
  if (name === undefined) throw new Refusal(`${quote(path)} is a folder, not a file.`);
  if (namesOf(location.path).some(isGitName))
    throw new Refusal(`${quote(path)} is inside of a .git folder, which only git commands may change.`);
  requireNoSecret(workdir, location.path);
  const shown = displayPath(workdir.path, location.path);
  const current = stat ? explaining(path, () => readCurrent(name, shown)) : null;
  const hasSecrets = isSecret(workdir.root, location.path);
  return { location: { ...location, name }, shown, hasSecrets, current, text: current?.text ?? null };
}

function readCurrent(name: string, shown: string): CurrentFile {
  const { descriptor, stat } = openRegular(name, shown);
  try {
    if (stat.size > maxEditedBytes)
      throw new Refusal(
        `${quote(shown)} has ${stat.size} bytes; files of at most ${maxEditedBytes} can be changed.`,
      );
    const bytes = readFileSync(descriptor);
    requireText(bytes, shown);
    return { bytes, text: decode(bytes), hash: hashOf(bytes), stat };
  } finally {
    closeSync(descriptor);
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
