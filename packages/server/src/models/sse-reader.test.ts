import { array, assert, integer, property, string, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSseReader } from './sse-reader.ts';

function read(...chunks: (string | Buffer)[]): string[] {
  const events: string[] = [];
  const reader = createSseReader((data) => events.push(data));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return events;
}

describe('the reader of server-sent events', () => {
  test.each([
    ['plain events', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['carriage returns', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['comments', ': keep-alive\n\ndata: a\n: again\n\n', ['a']],
    ['other fields', 'event: x\nid: 7\nretry: 10\ndata: a\n\n', ['a']],
    ['no space after the colon', 'data:a\n\n', ['a']],
    ['only the first space is dropped', 'data:  a\n\n', [' a']],
    ['several lines of data', 'data: a\ndata: b\n\n', ['a\nb']],
    ['empty data', 'data:\n\n', ['']],
    ['blank lines between events', '\n\n\ndata: a\n\n\n\n', ['a']],
    ['no blank line at the end', 'data: a\n\ndata: [DONE]', ['a', '[DONE]']],
    ['nothing', '', []],
  ])('understands %s', (_, stream, expected) => {
    expect(read(stream)).toEqual(expected);
  });

  test('gives an event as soon as it is complete', () => {
    const events: string[] = [];
    const reader = createSseReader((data) => events.push(data));
    reader.push(Buffer.from('data: a\n'));
    expect(events).toEqual([]);
    reader.push(Buffer.from('\n'));
    expect(events).toEqual(['a']);
  });

  test('cut anywhere, also inside characters and line ends, a stream means the same', () => {
    const payloads = array(string({ unit: 'binary' }).map((value) => value.replaceAll(/[\r\n]/g, '')));
    assert(
      property(payloads, uniqueArray(integer({ min: 0, max: 400 })), (values, cuts) => {
        const bytes = Buffer.from(values.map((value) => `: x\r\ndata: ${value}\r\n\r\n`).join(''));
        const places = [
          0,
          ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect(read(...chunks)).toEqual(values.map((value) => Buffer.from(value).toString()));
      }),
    );
  });

  test('an endless line is refused', () => {
    const reader = createSseReader(() => undefined);
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let count = 0; count < 20; count += 1) reader.push(megabyte);
    }).toThrow(RangeError);
  });
});
