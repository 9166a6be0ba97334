import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IndexedChunk, indexChunks } from './index-chunks.ts';
import { planReplacement, type StoredChunk } from './replacement.ts';

const chunk = (content: string, position: number, headingPath: string[] = []): IndexedChunk =>
  indexChunks('a workspace', [{ position, headingPath, content, tokenCount: 1 }])[0] as IndexedChunk;

/** What is stored once this plan was carried out. */
function store(stored: readonly StoredChunk[], contents: readonly string[]): StoredChunk[] {
  const { moved, removed, added } = planReplacement(
    stored,
    contents.map((content, position) => chunk(content, position)),
  );
  const places = new Map(moved.map(({ id, position }) => [id, position]));
  return [
    ...stored
      .filter(({ id }) => !removed.includes(id))
      .map((one) => ({ ...one, position: places.get(one.id) ?? one.position })),
    ...added.map(({ position, contentHash }) => ({
      id: `new ${position} ${Math.random()}`,
      position,
      contentHash: Buffer.from(contentHash, 'base64'),
    })),
  ].toSorted((one, other) => one.position - other.position);
}

describe('replacing chunks', () => {
  it('keeps what did not change, wherever it now stands', () => {
    const before = store([], ['a', 'b', 'c']);
    const after = store(before, ['new', 'c', 'a']);
    expect(after[1]?.id).toBe(before[2]?.id);
    expect(after[2]?.id).toBe(before[0]?.id);
    expect(after.map(({ id }) => id)).not.toContain(before[1]?.id);
  });

  it('the same text under another heading is another chunk', () => {
    const {
      added: [first],
    } = planReplacement([], [chunk('a', 0, ['One'])]);
    const stored = [{ id: '1', position: 0, contentHash: Buffer.from(first?.contentHash ?? '', 'base64') }];
    expect(planReplacement(stored, [chunk('a', 0, ['Two'])])).toMatchObject({ removed: ['1'] });
    expect(planReplacement(stored, [chunk('a', 0, ['One'])])).toEqual({ moved: [], removed: [], added: [] });
  });

  it('leaves exactly what is wanted, each in its place, and writes nothing when repeated', () => {
    const contents = array(constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 });
    assert(
      property(contents, contents, (first, second) => {
        const before = store([], first);
        const after = store(before, second);
        expect(after.map(({ position }) => position)).toEqual(second.map((_, position) => position));
        expect(after.map(({ contentHash }) => contentHash)).toEqual(
          store([], second).map(({ contentHash }) => contentHash),
        );
        const again = planReplacement(
          after,
          second.map((content, position) => chunk(content, position)),
        );
        expect(again).toEqual({ moved: [], removed: [], added: [] });
      }),
    );
  });

  it('takes no longer for a text that says the same again and again', () => {
    const same = chunk('a', 0);
    const contentHash = Buffer.from(same.contentHash, 'base64');
    const numbers = Array.from({ length: 25_000 }, (_, index) => index);
    const stored = numbers.map((position) => ({ id: String(position), position, contentHash }));
    const wanted = numbers.map((position) => ({ ...same, position }));
    expect(planReplacement(stored, wanted)).toEqual({ moved: [], removed: [], added: [] });
  });
});
