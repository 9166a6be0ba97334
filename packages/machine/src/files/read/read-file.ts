import { closeSync, readSync } from 'node:fs';
import type { FileImage, FileText, ReadFile } from '@svc/contract/machine-protocol';
import { boundaryBefore } from '../../commands/output/utf8-boundary.ts';
import { openRegular } from '../../confine/open-regular.ts';
import { displayPath } from '../../confine/paths.ts';
import { explaining, quote, Refusal } from '../../confine/refusal.ts';
import { requireNoSecret } from '../../confine/secrets.ts';
import { locateIn, type Workdir } from '../../confine/workdir.ts';
import { createLineRange } from './line-range.ts';
import { readImage } from './read-image.ts';
import { decode, requireText } from './text.ts';

const maxFileBytes = 50 * 1024 * 1024;
const chunkBytes = 256 * 1024;

/** A file as text, or as an image if that is wanted and it is one. */
export function readFileOrImage(workdir: Workdir, given: ReadFile): FileText | FileImage {
  const { name, shown } = locateFile(workdir, given.path);
  const image = explaining(given.path, () => readImage(name, shown, given.images === true));
  return image ? { path: shown, ...image } : readFile(workdir, given);
}

export function readFile(workdir: Workdir, { path, start_line, end_line }: ReadFile): FileText {
  const start = start_line ?? 1;
  if (end_line !== undefined && end_line < start)
    throw new Refusal(`end_line (${end_line}) is before start_line (${start}).`);
  const { name, shown } = locateFile(workdir, path);
  const read = explaining(path, () => readLines(name, shown, start, end_line ?? Infinity));
  return { path: shown, ...read };
}

function locateFile(workdir: Workdir, path: string): { name: string; shown: string } {
  const location = locateIn(workdir, path);
  const { name, stat } = location;
  if (!stat) throw new Refusal(`${quote(path)} does not exist.`);
  if (name === undefined) throw new Refusal(`${quote(path)} is a folder; use list_files.`);
  requireNoSecret(workdir, location.path);
  return { name, shown: displayPath(workdir.path, location.path) };
}

function readLines(name: string, shown: string, start: number, end: number): Omit<FileText, 'path'> {
  const { descriptor, stat } = openRegular(name, shown);
  try {
    if (stat.size > maxFileBytes)
      throw new Refusal(
        `${quote(shown)} has ${stat.size} bytes; files of at most ${maxFileBytes} bytes can be read. Use search or a command.`,
      );
    const range = createLineRange(start, end);
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, Number(stat.size) + 1));
    let size = 0;
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) {
      const bytes = chunk.subarray(0, count);
      // The end of the chunk may cut a character in two.
      if (size === 0) requireText(bytes.subarray(0, boundaryBefore(bytes, count)), shown);
      size += count;
      if (size > maxFileBytes) throw new Refusal(`${quote(shown)} grows while it is being read.`);
      range.add(bytes);
    }
    const { bytes, lastLine, totalLines, truncated } = range.end();
    if (start > Math.max(totalLines, 1))
      throw new Refusal(`${quote(shown)} has ${totalLines} lines; start_line ${start} is after its end.`);
    requireText(bytes, shown);
    const lines = { start_line: start, end_line: lastLine, total_lines: totalLines };
    return { text: decode(bytes), ...lines, size, truncated };
  } finally {
    closeSync(descriptor);
  }
}
