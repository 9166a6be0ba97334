import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** The parts of pg's connection that its types leave out. */
interface Wire {
  stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/** A statement `copy … to stdout` or `copy … from stdin`, with the methods that pg calls. */
abstract class CopyStatement implements pg.Submittable {
  readonly #text: string;
  readonly #outcome = Promise.withResolvers<number>();
  #rows = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** How many rows were copied. */
  get rows(): Promise<number> {
    return this.#outcome.promise;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text);
  }

  handleError(error: Error): void {
    this.#outcome.reject(error);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(text.split(' ').at(-1));
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve(this.#rows);
  }
}

class CopyOut extends CopyStatement {
  readonly #take: (bytes: Buffer) => Promise<void> | undefined;

  constructor(text: string, take: (bytes: Buffer) => Promise<void> | undefined) {
    super(text);
    this.#take = take;
  }

  handleCopyData({ chunk }: { chunk: Buffer }, { stream }: Wire): void {
    const room = this.#take(chunk);
    if (!room) return;
    stream.pause();
    room.then(
      () => stream.resume(),
      (error: Error) => this.handleError(error),
    );
  }
}

class CopyIn extends CopyStatement {
  readonly #source: AsyncIterable<Buffer>;
  #sourceError: Error | undefined;

  constructor(text: string, source: AsyncIterable<Buffer>) {
    super(text);
    this.#source = source;
  }

  handleCopyInResponse(wire: Wire): void {
    void this.#feed(wire);
  }

  override handleError(error: Error): void {
    // PostgreSQL only repeats that we gave up.
    super.handleError(this.#sourceError ?? error);
  }

  async #feed(wire: Wire): Promise<void> {
    try {
      for await (const bytes of this.#source) {
        if (wire.stream.destroyed) return;
        wire.sendCopyFromChunk(bytes);
        if (wire.stream.writableNeedDrain) await drained(wire.stream);
      }
      wire.endCopyFrom();
    } catch (error) {
      this.#sourceError = error as Error;
      wire.sendCopyFail('The source failed.');
    }
  }
}

/** Waits until more can be written, or nothing can be written any more. */
async function drained(stream: Duplex): Promise<void> {
  const listening = new AbortController();
  const { signal } = listening;
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } finally {
    listening.abort();
  }
}

/**
 * Reads the rows of a statement `copy … to stdout`, as bytes that may be overwritten once `take` has returned. While a promise
 * that it returned is pending, no more is read from the server. After an error the connection is of no more use.
 */
export function copyOut(
  client: pg.Client,
  text: string,
  take: (bytes: Buffer) => Promise<void> | undefined,
): Promise<number> {
  return client.query(new CopyOut(text, take)).rows;
}

/** Writes rows with a statement `copy … from stdin`. */
export function copyIn(client: pg.Client, text: string, source: AsyncIterable<Buffer>): Promise<number> {
  return client.query(new CopyIn(text, source)).rows;
}
