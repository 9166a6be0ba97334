import { describe, expect, it } from 'vitest';
import { createPlayedPosition, readFrame } from './played-position.ts';

describe('a frame of the browser', () => {
  it('has a header and whole samples', () => {
    const frame = Buffer.from('010000000200000003000000aabb', 'hex');
    expect(readFrame(frame)).toEqual({
      report: { clears: 1, heard: 2, heardSinceClear: 3 },
      audio: Buffer.from('aabb', 'hex'),
    });
  });

  it.each([0, 11, 12, 13, 15])('does not have %i bytes', (length) => {
    expect(readFrame(Buffer.alloc(length))).toBeUndefined();
  });
});

describe('the played position', () => {
  it('follows the reports and never decreases', () => {
    const position = createPlayedPosition();
    position.noteSent(1_000);
    position.noteReport({ clears: 0, heard: 600, heardSinceClear: 600 });
    expect([position.heard, position.ahead]).toEqual([600, 400]);
    position.noteReport({ clears: 0, heard: 100, heardSinceClear: 100 });
    expect([position.heard, position.ahead]).toEqual([600, 400]);
  });

  it('believes no more than was sent', () => {
    const position = createPlayedPosition();
    position.noteSent(1_000);
    position.noteReport({ clears: 7, heard: 4_000_000_000, heardSinceClear: 4_000_000_000 });
    expect([position.heard, position.ahead]).toEqual([1_000, 0]);
  });

  it('counts what is heard while a clear is on its way, and not as part of what follows it', () => {
    const position = createPlayedPosition();
    position.noteSent(1_000);
    position.noteReport({ clears: 0, heard: 300, heardSinceClear: 300 });
    expect(position.noteCleared()).toBe(1);
    expect([position.heard, position.ahead]).toEqual([300, 0]);
    position.noteSent(500);
    position.noteReport({ clears: 0, heard: 350, heardSinceClear: 350 });
    expect([position.heard, position.ahead]).toEqual([350, 500]);
    position.noteReport({ clears: 1, heard: 450, heardSinceClear: 100 });
    expect([position.heard, position.ahead]).toEqual([450, 400]);
  });
});
