import { boundaryAfter, boundaryBefore, decodeText } from './utf8-boundary.ts';

const intervalMs = 200;
const maxFrameBytes = 8 * 1024;
const maxTotalBytes = 256 * 1024;
const endNotice = '\n[… further output is shown when the command has ended …]\n';

/**
 * Passes output on while it is produced: at most one frame in 200 ms, of at most 8 KB, and 256 KB altogether. When more
 * comes in, a frame has the newest of it and says how much was skipped.
 */
export class ProgressStream {
  readonly #onProgress: (text: string) => void;
  #pending: Buffer = Buffer.alloc(0);
  #skippedBytes = 0;
  #sentBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastSentAt = 0;

  constructor(onProgress: (text: string) => void) {
    this.#onProgress = onProgress;
  }

  push(chunk: Buffer): void {
    if (this.#sentBytes >= maxTotalBytes) return;
    const newest = chunk.subarray(Math.max(0, chunk.length - maxFrameBytes));
    const joined = Buffer.concat([this.#pending, newest]);
    this.#pending = joined.subarray(Math.max(0, joined.length - maxFrameBytes));
    this.#skippedBytes += chunk.length - newest.length + joined.length - this.#pending.length;
    this.#timer ??= setTimeout(
      () => this.#send(false),
      Math.max(0, this.#lastSentAt + intervalMs - performance.now()),
    );
  }

  /** Sends what is left. */
  end(): void {
    this.#send(true);
    this.#sentBytes = maxTotalBytes;
  }

  #send(isLast: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sentBytes >= maxTotalBytes) return;
    const start = this.#skippedBytes > 0 ? boundaryAfter(this.#pending, 0) : 0;
    // The rest of a character that is cut off at the end comes with the next chunk.
    const end = isLast ? this.#pending.length : boundaryBefore(this.#pending, this.#pending.length);
    if (end <= start) return;
    const skipped = this.#skippedBytes + start;
    const text = decodeText(this.#pending.subarray(start, end));
    this.#pending = Buffer.from(this.#pending.subarray(end));
    this.#skippedBytes = 0;
    this.#sentBytes += end - start;
    this.#lastSentAt = performance.now();
    const isFull = this.#sentBytes >= maxTotalBytes && !isLast;
    this.#onProgress(
      `${skipped > 0 ? `\n[… ${skipped} bytes skipped …]\n` : ''}${text}${isFull ? endNotice : ''}`,
    );
  }
}
