import { decodeText } from '../output/utf8-boundary.ts';

export interface Match {
  path: string;
  line: number;
  text: string;
}

/** Ripgrep shortens lines itself; this bounds what a file name with line breaks or another program could send. */
const maxLineBytes = 64 * 1024;

/** Ripgrep prints this in a line of its own, without a NUL, after a match in a file that turns out to be binary. */
const binaryNotice =
  /^.*: (?:WARNING: stopped searching binary file after match|binary file matches) \(found [^\n]*\)\n/s;

/** Reads lines of the form `path NUL line-number ":" text`, in chunks of any size. */
export class MatchParser {
  readonly #onMatch: (match: Match) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onMatch: (match: Match) => void) {
    this.#onMatch = onMatch;
  }

  push(chunk: Buffer): void {
    let data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    for (;;) {
      // A path may contain a line break, so the line ends at the first one after the NUL.
      const separator = data.indexOf(0);
      const lineEnd = separator < 0 ? -1 : data.indexOf(10, separator);
      if (lineEnd < 0) break;
      const match = parseMatch(data.subarray(0, separator), data.subarray(separator + 1, lineEnd));
      if (match) this.#onMatch(match);
      data = data.subarray(lineEnd + 1);
    }
    this.#rest = data.length > maxLineBytes ? Buffer.alloc(0) : Buffer.from(data);
  }
}

function parseMatch(path: Buffer, line: Buffer): Match | undefined {
  const [, number, text] = /^(\d+):(.*?)\r?$/s.exec(decodeText(line)) ?? [];
  if (number === undefined || text === undefined) return undefined;
  const file = decodeText(path).replace(binaryNotice, '').replace(/^\.\//, '');
  return { path: file, line: Number(number), text };
}
