export interface MessageReaderHandlers {
  onMessage(data: Buffer): void;
  /** Where the next message begins is unknown, so the stream cannot be used any more. Called once. */
  onBroken(problem: string): void;
}

const maxHeadBytes = 16_384;
const maxBodyBytes = 65_536;
const mark = '\r\n\r\n';

/** Finds the messages in a stream of bytes, where each ends as its Content-Length says (RFC 3261, section 18.3). */
export function createMessageReader({ onMessage, onBroken }: MessageReaderHandlers) {
  let waiting: Buffer = Buffer.alloc(0);
  let isBroken = false;

  function fail(problem: string): void {
    isBroken = true;
    waiting = Buffer.alloc(0);
    onBroken(problem);
  }

  /** The first message that is complete. */
  function take(): Buffer | undefined {
    waiting = waiting.subarray(emptyLinesBytes(waiting));
    const end = waiting.indexOf(mark);
    if ((end === -1 ? waiting.length : end) > maxHeadBytes) {
      fail('its headers are too long');
      return undefined;
    }
    if (end === -1) return undefined;
    const length = contentLength(waiting.toString('latin1', 0, end + 2));
    if (length === undefined || length > maxBodyBytes) {
      fail(length === undefined ? 'it has no valid Content-Length' : 'its body is too long');
      return undefined;
    }
    const total = end + mark.length + length;
    if (waiting.length < total) return undefined;
    const message = waiting.subarray(0, total);
    waiting = waiting.subarray(total);
    return message;
  }

  return {
    read(chunk: Buffer): void {
      if (isBroken) return;
      waiting = Buffer.concat([waiting, chunk]);
      for (let message = take(); message; message = take()) onMessage(message);
    },
  };
}

/** Peers send empty lines between messages, to keep the connection open. */
function emptyLinesBytes(data: Buffer): number {
  const first = data.findIndex((byte) => byte !== 0x0d && byte !== 0x0a);
  return first === -1 ? data.length : first;
}

/** Headers that contradict each other count as missing. */
function contentLength(head: string): number | undefined {
  const values = [...head.matchAll(/\r\n(?:content-length|l)[ \t]*:[ \t]*(.*?)[ \t]*(?=\r\n)/gi)].map(
    ([, value = '']) => value,
  );
  const [value] = values;
  if (value === undefined || !/^\d{1,9}$/.test(value) || values.some((one) => one !== value))
    return undefined;
  return Number(value);
}
