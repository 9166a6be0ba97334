import { expect, it } from 'vitest';
import { HeadAndTail } from './head-and-tail.ts';

function keep(text: string | Buffer, chunkBytes: number, bytesOfEach: number) {
  const kept = new HeadAndTail(bytesOfEach);
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += chunkBytes)
    kept.push(bytes.subarray(start, start + chunkBytes));
  return kept.read();
}

it('keeps everything that fits, in chunks of any size', () => {
  const text = 'aé€😀'.repeat(3);
  for (let chunkBytes = 1; chunkBytes <= 31; chunkBytes++) {
    expect(keep(text, chunkBytes, 15)).toEqual({ text, totalBytes: 30, omittedBytes: 0 });
    expect(keep(text, chunkBytes, 100)).toEqual({ text, totalBytes: 30, omittedBytes: 0 });
  }
  expect(new HeadAndTail().read()).toEqual({ text: '', totalBytes: 0, omittedBytes: 0 });
});

it('keeps the beginning and the end of more, and never cuts a character', () => {
  const text = Array.from({ length: 200 }, (_, index) => `${index}é€😀`).join('');
  for (let chunkBytes = 1; chunkBytes <= 120; chunkBytes += 7) {
    for (let bytesOfEach = 10; bytesOfEach < 30; bytesOfEach++) {
      const kept = keep(text, chunkBytes, bytesOfEach);
      const [head = '', tail = ''] = kept.text.split(/\n\[… \d+ bytes left out …\]\n/);
      expect(text.startsWith(head)).toBe(true);
      expect(text.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head) + kept.omittedBytes + Buffer.byteLength(tail)).toBe(kept.totalBytes);
      expect(Buffer.byteLength(head)).toBeGreaterThan(bytesOfEach - 4);
      expect(Buffer.byteLength(tail)).toBeGreaterThan(bytesOfEach - 4);
      expect(kept.text).toContain(`[… ${kept.omittedBytes} bytes left out …]`);
    }
  }
});

it('replaces what is not UTF-8', () => {
  expect(keep(Buffer.alloc(100, 0xff), 9, 10).text).toBe(
    `${'�'.repeat(10)}\n[… 80 bytes left out …]\n${'�'.repeat(10)}`,
  );
  expect(keep(Buffer.alloc(100, 0x80), 9, 10).omittedBytes).toBe(80);
});
