import { parentPort } from 'node:worker_threads';
import { anyBot, createSpace, type Listed, type Space, type SpaceHit } from './space.ts';

export type IndexRequest =
  /** Answers with the ids of chunks whose vectors are missing. */
  | { type: 'keep'; space: string; listing: Uint8Array }
  | { type: 'add'; space: string; vectors: Uint8Array }
  /** Everything that was missing has been added. */
  | { type: 'settle'; space: string }
  | { type: 'search'; space: string; botId: string | undefined; vector: Float32Array; limit: number }
  | { type: 'forget'; space: string };

export interface IndexAnswers {
  keep: string[];
  add: undefined;
  settle: { bytes: number };
  search: SpaceHit[];
  forget: undefined;
}

interface Held {
  space: Space;
  expected: Map<string, Listed>;
}

const spaces = new Map<string, Held>();

function answer(request: IndexRequest): IndexAnswers[IndexRequest['type']] {
  const { space: name } = request;
  if (request.type === 'forget') {
    spaces.delete(name);
    return undefined;
  }
  const { space, expected } = spaces.get(name) ?? {
    space: createSpace(),
    expected: new Map<string, Listed>(),
  };
  spaces.set(name, { space, expected });
  switch (request.type) {
    case 'keep': {
      const listed = [...readListing(Buffer.from(request.listing))];
      const missing = space.keep(listed);
      const wanted = new Set(missing);
      expected.clear();
      for (const one of listed) if (wanted.has(one.chunkId)) expected.set(one.key, one);
      return missing;
    }
    case 'add': {
      for (const { key, vector } of readVectors(Buffer.from(request.vectors))) {
        const listed = expected.get(key);
        if (listed) space.add(listed, vector);
      }
      return undefined;
    }
    case 'settle':
      expected.clear();
      return { bytes: space.bytes };
    case 'search':
      return space.search(request.botId, request.vector, request.limit);
  }
}

parentPort?.on('message', (request: IndexRequest) => parentPort?.postMessage(answer(request)));

const noBot = Buffer.alloc(16);
const listedBytes = 34;
/** Chunk id and part before the array; its head; then the length of each number before the number. */
const ownBytes = 18;
const arrayHeadBytes = 20;
const numberBytes = 8;

/** The listing as the store packs it. */
function* readListing(packed: Buffer): Generator<Listed> {
  for (let start = 0; start + listedBytes <= packed.length; start += listedBytes) {
    const bot = packed.subarray(start + 18, start + 34);
    yield { ...readKey(packed, start), botId: bot.equals(noBot) ? anyBot : formatUuid(bot) };
  }
}

/** The vectors as the store packs them: all of one size. */
function* readVectors(packed: Buffer): Generator<{ key: string; vector: Float32Array }> {
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
