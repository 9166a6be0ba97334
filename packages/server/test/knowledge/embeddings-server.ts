import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface EmbeddingsServer {
  /** For OPENAI_BASE_URL. */
  url: string;
  /** For a service whose vectors come from here, because loading the built-in model takes long. */
  environment: Record<string, string>;
  /** The texts of each request that was answered with vectors. */
  embedded: string[][];
  /** The number of requests received, answered or not. */
  asked(): number;
  /** Answers the next requests with these statuses instead. */
  failWith(...statuses: number[]): void;
  /** Later requests, or those after the given number, wait until the returned function is called. */
  hold(after?: number): () => void;
  close(): Promise<void>;
}

const dimensions = 64;

/** Speaks OpenAI's embeddings API. A text's vector is the sum of its words' vectors, so texts with common words are close. */
export async function startEmbeddingsServer(): Promise<EmbeddingsServer> {
  const embedded: string[][] = [];
  const statuses: number[] = [];
  let count = 0;
  let held: { from: number; until: Promise<void> } | undefined;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    count += 1;
    if (held && count > held.from) await held.until;
    // The client has disconnected.
    if (response.destroyed) return;
    const status = statuses.shift() ?? 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    if (status !== 200) return void response.end(JSON.stringify({ error: { message: 'no' } }));
    const { input } = JSON.parse(Buffer.concat(pieces).toString()) as { input: string[] };
    embedded.push(input);
    const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
    response.end(JSON.stringify({ data, usage: { prompt_tokens: input.join(' ').split(/\s+/).length } }));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const url = `http://127.0.0.1:${port}/v1`;
  return {
    url,
    environment: {
      OPENAI_BASE_URL: url,
      SVC_EMBEDDING_MODEL: 'openai/counted',
      SVC_DEFAULT_MODEL: 'builtin/extractive',
    },
    embedded,
    asked: () => count,
    failWith: (...wanted) => void statuses.push(...wanted),
    hold(after = 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = { from: count + after, until: promise };
      return () => {
        held = undefined;
        resolve();
      };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function vectorOf(text: string): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1;
  }
  return vector;
}
