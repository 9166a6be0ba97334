import { parentPort } from 'node:worker_threads';
import { readListing, readVectors } from './records.ts';
import { createSpace, type Listed, type Space, type SpaceHit } from './space.ts';

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
  settle: { bytes: number; size: number };
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
      return { bytes: space.bytes, size: space.size };
    case 'search':
      return space.search(request.botId, request.vector, request.limit);
  }
}

parentPort?.on('message', (request: IndexRequest) => parentPort?.postMessage(answer(request)));
