import { anyBot, type Listed } from './space.ts';

const noBot = Buffer.alloc(16);
const listedBytes = 34;
/** Chunk id and part before the array; its head; then the length of each number before the number. */
const ownBytes = 18;
const arrayHeadBytes = 20;
const numberBytes = 8;

/** The listing as the store packs it. */
export function* readListing(packed: Buffer): Generator<Listed> {
  for (let start = 0; start + listedBytes <= packed.length; start += listedBytes) {
    const bot = packed.subarray(start + 18, start + 34);
    yield { ...readKey(packed, start), botId: bot.equals(noBot) ? anyBot : formatUuid(bot) };
  }
}

/** The vectors as the store packs them: all of one size. */
export function* readVectors(packed: Buffer): Generator<{ key: string; vector: Float32Array }> {
  let start = 0;
  while (start + ownBytes + arrayHeadBytes <= packed.length) {
    const { key } = readKey(packed, start);
    // Follows the number of dimensions, a flag and the element type.
    const length = packed.readInt32BE(start + ownBytes + 12);
    const first = start + ownBytes + arrayHeadBytes + 4;
    const vector = new Float32Array(length);
    for (let index = 0; index < length; index += 1) {
      vector[index] = packed.readFloatBE(first + index * numberBytes);
    }
    yield { key, vector };
    start += ownBytes + arrayHeadBytes + length * numberBytes;
  }
}

function readKey(packed: Buffer, start: number): { key: string; chunkId: string } {
  const chunkId = formatUuid(packed.subarray(start, start + 16));
  return { chunkId, key: `${chunkId}/${packed.readInt16BE(start + 16)}` };
}

function formatUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
