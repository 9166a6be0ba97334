const newline = 0x0a;
const carriageReturn = 0x0d;
const longestLine = 16 * 1024 * 1024;

export interface SseReader {
  /** Takes bytes as they come and calls back with the data of every event they complete. */
  push(chunk: Buffer): void;
  /** The stream is over: an event whose last blank line is missing counts, too. */
  end(): void;
}

/**
 * Server-sent events from bytes in any pieces. Lines are cut as bytes, before decoding: a line break is never part of a
 * longer UTF-8 character, so no character is ever decoded in halves. Only `data` matters here.
 */
export function createSseReader(onData: (data: string) => void): SseReader {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let data: string | undefined;

  function readLine(line: string): void {
    if (line === '') {
      if (data !== undefined) {
        const event = data;
        data = undefined;
        onData(event);
      }
      return;
    }
    if (!line.startsWith('data:')) return;
    const value = line.slice(line.charCodeAt(5) === 0x20 ? 6 : 5);
    data = data === undefined ? value : `${data}\n${value}`;
  }

  function readLines(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n', start); end !== -1; end = text.indexOf('\n', start)) {
      const last = end > start && text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end;
      readLine(text.slice(start, last));
      start = end + 1;
    }
  }

  return {
    push(chunk) {
      const complete = chunk.lastIndexOf(newline) + 1;
      if (complete > 0) {
        const head = chunk.subarray(0, complete);
        readLines((kept.length === 0 ? head : Buffer.concat([...kept, head])).toString('utf8'));
        kept = [];
        keptBytes = 0;
      }
      if (complete < chunk.length) {
        kept.push(chunk.subarray(complete));
        keptBytes += chunk.length - complete;
        if (keptBytes > longestLine) throw new RangeError('a line of the stream is endless');
      }
    },
    end() {
      readLines(`${Buffer.concat(kept).toString('utf8')}\n\n`);
      kept = [];
    },
  };
}
