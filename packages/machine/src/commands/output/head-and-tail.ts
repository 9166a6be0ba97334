import { boundaryAfter, boundaryBefore, decodeText } from './utf8-boundary.ts';

/** Keeps the beginning and the end of output of any length in constant memory. */
export class HeadAndTail {
  readonly #head: Buffer;
  readonly #tail: Buffer;
  #headBytes = 0;
  /** Where the next byte goes in the tail, which is a ring. */
  #position = 0;
  #total = 0;

  constructor(bytesOfEach = 24 * 1024) {
    this.#head = Buffer.alloc(bytesOfEach);
    this.#tail = Buffer.alloc(bytesOfEach);
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    const copied = chunk.copy(this.#head, this.#headBytes);
    this.#headBytes += copied;
    const rest = chunk.subarray(Math.max(copied, chunk.length - this.#tail.length));
    const untilWrap = rest.copy(this.#tail, this.#position);
    rest.copy(this.#tail, 0, untilWrap);
    this.#position = (this.#position + rest.length) % this.#tail.length;
  }

  read() {
    const tailBytes = Math.min(this.#total - this.#headBytes, this.#tail.length);
    const isWrapped = this.#total - this.#headBytes >= this.#tail.length;
    const tail = isWrapped
      ? Buffer.concat([this.#tail.subarray(this.#position), this.#tail.subarray(0, this.#position)])
      : this.#tail.subarray(0, tailBytes);
    const head = this.#head.subarray(0, this.#headBytes);
    if (this.#headBytes + tailBytes === this.#total) {
      return { text: decodeText(Buffer.concat([head, tail])), totalBytes: this.#total, omittedBytes: 0 };
    }
    const first = head.subarray(0, boundaryBefore(head, head.length));
    const last = tail.subarray(boundaryAfter(tail, 0));
    const omittedBytes = this.#total - first.length - last.length;
    const text = `${decodeText(first)}\n[… ${omittedBytes} bytes left out …]\n${decodeText(last)}`;
    return { text, totalBytes: this.#total, omittedBytes };
  }
}
