import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReplyTexts, type Shown } from './reply-texts.ts';

/** What stands on the screen after these, with a mark where something was taken back. */
function screen(shown: Shown[]): string {
  return shown
    .map((one) => (one.kind === 'nothing' ? '' : (one.kind === 'instead' ? '|' : '') + one.text))
    .join('');
}

describe('the text of a reply', () => {
  it('grows by its deltas', () => {
    const texts = createReplyTexts();
    expect(
      screen([texts.delta('m', 0, 'Hel'), texts.delta('m', 3, 'lo'), texts.completed('m', 'Hello')]),
    ).toBe('Hello');
  });

  it('shows what deltas missed when the snapshot or the whole message brings it', () => {
    const texts = createReplyTexts();
    const shown = [texts.delta('m', 0, 'He'), texts.delta('m', 4, 'o'), texts.snapshot('m', 'Hell')];
    expect(screen([...shown, texts.delta('m', 2, 'llo'), texts.completed('m', 'Hello!')])).toBe('Hello!');
  });

  it('takes back what a crash took back, and what turned out different', () => {
    const texts = createReplyTexts();
    expect(screen([texts.delta('a', 0, 'Lost'), texts.snapshot('a', ''), texts.delta('b', 0, 'New')])).toBe(
      'Lost|New',
    );
    expect(screen([texts.completed('b', 'Other')])).toBe('|Other');
  });

  it('does not grow any more once it is whole', () => {
    const texts = createReplyTexts();
    const shown = [texts.completed('m', 'Done'), texts.delta('m', 4, '?'), texts.snapshot('m', 'Do')];
    expect(screen(shown)).toBe('Done');
  });

  it('is exact whatever was cut, sent twice or joined late', () => {
    const step = fc.record({ isSnapshot: fc.boolean(), from: fc.nat(40), length: fc.nat(10) });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.array(step), (reply, steps) => {
        const texts = createReplyTexts();
        let said = 0; // A snapshot holds every delta that was sent before it.
        const shown = steps.map(({ isSnapshot, from, length }) => {
          said = Math.max(said, Math.min(from + length, reply.length));
          return isSnapshot
            ? texts.snapshot('m', reply.slice(0, said))
            : texts.delta('m', from, reply.slice(from, from + length));
        });
        expect(screen([...shown, texts.completed('m', reply)])).toBe(reply);
      }),
    );
  });
});
