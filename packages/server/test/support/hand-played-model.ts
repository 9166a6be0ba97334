import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { chatWire } from '../scripted-model/chat-wire.ts';
import { patienceMs } from './patience.ts';

/** One request of the service, which the test answers piece by piece. */
export interface PlayedReply {
  body: Record<string, unknown>;
  write(...tokens: string[]): void;
  /** Raw bytes. */
  writeRaw(text: string): void;
  /** Ends the reply with a call. */
  callTool(name: string, given: object): void;
  /** Ends the reply properly. */
  finish(usage?: { input: number; output: number; cached?: number }): void;
  /** Ends the body properly, without finishing the reply. */
  end(): void;
  /** Breaks the connection in the middle. */
  cut(): void;
  /** Resolves when the service closed the connection before the reply was finished. */
  abandoned: Promise<void>;
}

export interface HandPlayedModel {
  url(provider: 'openai'): string;
  /** The next request, in order of arrival. Those that the service gave up while they waited are skipped. */
  next(): Promise<PlayedReply>;
  /** Answers every further request; without an argument, leaves them to `next` again. */
  autoplay(answer?: (reply: PlayedReply) => void): void;
  close(): Promise<void>;
}

/** Whether the request is for a summary rather than a reply. */
export function isSummary(body: Record<string, unknown>): boolean {
  return JSON.stringify(body['messages']).includes('You keep notes on a conversation');
}

/** A model in OpenAI's wire format, for tests that must control exactly how far a reply has come. */
export async function startHandPlayedModel(): Promise<HandPlayedModel> {
  const arrived = new Set<PlayedReply>();
  const waiting: ((reply: PlayedReply) => void)[] = [];
  let autoplay: ((reply: PlayedReply) => void) | undefined;
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => void pieces.push(piece));
    incoming.on('end', () => {
      const reply = play(JSON.parse(Buffer.concat(pieces).toString()), response);
      if (autoplay) return autoplay(reply);
      // Summaries are requested in the background and are not what the test plays.
      if (isSummary(reply.body)) return reply.finish();
      const waiter = waiting.shift();
      if (waiter) waiter(reply);
      else {
        arrived.add(reply);
        void reply.abandoned.then(() => arrived.delete(reply));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  return {
    url: () => `http://127.0.0.1:${port}/v1`,
    next() {
      const [first] = arrived;
      if (first) {
        arrived.delete(first);
        return Promise.resolve(first);
      }
      return new Promise((resolve, reject) => {
        const waiter = (reply: PlayedReply) => {
          clearTimeout(timer);
          resolve(reply);
        };
        const timer = setTimeout(() => {
          // Later requests are for the next call.
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(new Error('the service did not ask the model'));
        }, patienceMs);
        waiting.push(waiter);
      });
    },
    autoplay(answer) {
      autoplay = answer;
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function play(body: Record<string, unknown>, response: ServerResponse): PlayedReply {
  const encoder = chatWire.createEncoder();
  const abandoned = Promise.withResolvers<void>();
  response.once('close', () => {
    if (!response.writableFinished) abandoned.resolve();
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(encoder.open());
  return {
    body,
    write(...tokens) {
      for (const token of tokens) response.write(encoder.text(token));
    },
    writeRaw: (text) => void response.write(text),
    callTool(name, given) {
      response.write(encoder.toolCalls([{ id: randomUUID(), name, arguments: given, signature: '' }], false));
      const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 };
      response.end(encoder.close({ reason: 'tool-calls', usage }));
    },
    finish({ input, output, cached = 0 } = { input: 10, output: 5 }) {
      const usage = { inputTokens: input, outputTokens: output, cachedInputTokens: cached };
      response.end(encoder.close({ reason: 'stop', usage }));
    },
    end: () => void response.end(),
    cut: () => response.socket?.destroySoon(),
    abandoned: abandoned.promise,
  };
}
