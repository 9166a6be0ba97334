import { describe, expect, it } from 'vitest';
import { readLongBody } from './long-body.ts';
import { createLongBodyReader } from './long-body-reader.ts';

const read = (text: string) => readLongBody(Buffer.from(text));
const long = 'x'.repeat(2_000_000);

describe('a long body', () => {
  it('comes apart: the documentation beside the rest', () => {
    const word = read(JSON.stringify({ goal: 'é', documentation: 'é"\n' }));
    expect(word).toMatchObject({ kind: 'read', body: { goal: 'é', documentation: '…' } });
    if (word.kind !== 'read') throw new Error('It was refused.');
    expect(Buffer.from(word.documentation?.bytes ?? []).toString()).toBe('é"\n');
    expect(word.documentation?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['no JSON', `{"documentation":"${long}`, /could not be read as JSON/],
    ['zeros', `[${'0,'.repeat(2_000_000)}0]`, /more than 50000 values/],
    ['nesting', '['.repeat(2_000_000), /nested more than 64 levels deep/],
    ['objects', `{"a":[${'{"b":[]},'.repeat(2_000_000)}0]}`, /more than 50000 values/],
    ['quotes that end nothing', `["${'\\"'.repeat(1_000_000)}`, /could not be read as JSON/],
    ['a text', JSON.stringify(long), /only documentation/],
    ['a long goal', JSON.stringify({ goal: long, documentation: 'x' }), /only documentation/],
    ['another kind', JSON.stringify({ documentation: { text: long } }), /only documentation/],
    ['a prototype', `{"__proto__":{},"documentation":"${long}"}`, /could not be read as JSON/],
    ['half a pair', `{"documentation":"\\ud800${long}"}`, /^documentation must be well-formed text/],
    [
      'too much',
      JSON.stringify({ documentation: 'é'.repeat(17_000_000) }),
      /not be longer than 33554432 bytes/,
    ],
  ])('is refused for %s', (_name, body, message) => {
    expect(read(body)).toMatchObject({ kind: 'refused', message: expect.stringMatching(message) });
  });
});

it('a long body that waits too long is to be sent again later', async () => {
  const late = createLongBodyReader()('a', Buffer.from('{}'), AbortSignal.timeout(0));
  await expect(late).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 5 });
});
