import { inflateRawSync } from 'node:zlib';
import { ExtractionError } from '../../source-failure.ts';
import { inMegabytes } from '../limits.ts';

export interface ArchiveEntry {
  name: string;
  size: number;
  packedSize: number;
  method: number;
  isEncrypted: boolean;
  /** The position of its local header. */
  offset: number;
}

const maxEntries = 5_000;
/** Markup compresses well, bombs a thousandfold. */
const maxRatio = 200;
const smallEnough = 1024 * 1024;
const endLength = 22;
const maxCommentBytes = 0xffff;

/** The archive's own listing, if it is plausible. */
export function listArchive(bytes: Buffer, maxBytes: number): ArchiveEntry[] {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  const start = bytes.readUInt32LE(end + 16);
  if (count > maxEntries) throw new ExtractionError(`It contains more than ${maxEntries} files.`);
  const entries: ArchiveEntry[] = [];
  let position = start;
  for (let index = 0; index < count; index += 1) {
    if (position + 46 > end || bytes.readUInt32LE(position) !== 0x02014b50) throw damaged();
    const nameLength = bytes.readUInt16LE(position + 28);
    const entry: ArchiveEntry = {
      name: bytes.toString('utf8', position + 46, position + 46 + nameLength),
      isEncrypted: (bytes.readUInt16LE(position + 8) & 1) === 1,
      method: bytes.readUInt16LE(position + 10),
      packedSize: bytes.readUInt32LE(position + 20),
      size: bytes.readUInt32LE(position + 24),
      offset: bytes.readUInt32LE(position + 42),
    };
    if (entry.size > smallEnough && entry.size > entry.packedSize * maxRatio) throw tooLarge(maxBytes);
    entries.push(entry);
    position += 46 + nameLength + bytes.readUInt16LE(position + 30) + bytes.readUInt16LE(position + 32);
  }
  if (entries.reduce((sum, { size }) => sum + size, 0) > maxBytes) throw tooLarge(maxBytes);
  if (new Set(entries.map(({ name }) => name)).size !== entries.length) throw damaged();
  return entries;
}

/** Unpacks one entry, to no more than its declared size. */
export function unpackEntry(bytes: Buffer, entry: ArchiveEntry): Buffer {
  if (entry.isEncrypted) {
    throw new ExtractionError('It is protected by a password: remove it and upload the file again.');
  }
  const { offset, packedSize, size, method } = entry;
  if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== 0x04034b50) throw damaged();
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const packed = bytes.subarray(start, start + packedSize);
  if (packed.length !== packedSize) throw damaged();
  if (method === 0 && packedSize === size) return packed;
  if (method !== 8) throw damaged();
  const unpacked = inflate(packed, size);
  if (unpacked.length !== size) throw damaged();
  return unpacked;
}

function inflate(packed: Buffer, size: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw damaged(error);
  }
}

/** The end record, searched from the end, because a comment may follow it. */
function findEnd(bytes: Buffer): number {
  const last = bytes.length - endLength;
  for (let position = last; position >= 0 && position >= last - maxCommentBytes; position -= 1) {
    if (bytes.readUInt32LE(position) !== 0x06054b50) continue;
    if (position + endLength + bytes.readUInt16LE(position + 20) === bytes.length) return position;
  }
  throw damaged();
}

function tooLarge(maxBytes: number): ExtractionError {
  return new ExtractionError(`It unpacks to more than ${inMegabytes(maxBytes)}.`);
}

function damaged(cause?: unknown): ExtractionError {
  return new ExtractionError('It is damaged: open it, save it again and upload that.', { cause });
}
