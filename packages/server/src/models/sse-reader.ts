import { createParser } from 'eventsource-parser';

const maxEventCharacters = 16 * 1024 * 1024;

/** Server-sent events from bytes that may be cut anywhere. Only `data` matters here. */
export function createSseReader(onData: (data: string) => void) {
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => onData(data),
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') throw new RangeError('An event of the stream is endless.');
    },
  });
  return {
    /** Takes bytes as they come and calls back with the data of every event they complete. */
    push: (chunk: Buffer): void => parser.feed(decoder.decode(chunk, { stream: true })),
    /** The stream is over: an event counts even if its final blank line is missing. */
    end: (): void => parser.feed(`${decoder.decode()}\n\n`),
  };
}
