import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LineEnd } from '../call-transport.ts';
import { createWebLine } from './create-web-line.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const second = 32_000;

/** A line whose browser is played by the test. */
function open() {
  const sent: (string | Buffer)[] = [];
  const closed: [number, string][] = [];
  const heard: Buffer[] = [];
  const ends: LineEnd[] = [];
  const { line, handlers } = createWebLine({
    send: (data) => void sent.push(data),
    close: (...how) => void closed.push(how),
  });
  const listen = () =>
    line.listen({
      onAudio: (frame) => void heard.push(frame),
      onDigit: () => undefined,
      onEnd: (end) => void ends.push(end),
    });
  const report = (clears: number, played: number, sinceClear = played, audio = Buffer.alloc(640)) => {
    const header = Buffer.alloc(12);
    [clears, played, sinceClear].forEach((value, index) => header.writeUInt32LE(value, index * 4));
    handlers.onFrame(Buffer.concat([header, audio]), true);
  };
  const sentBytes = () => sent.reduce((sum, data) => sum + (typeof data === 'string' ? 0 : data.length), 0);
  return { line, handlers, sent, closed, heard, ends, listen, report, sentBytes };
}

it('sends one second ahead of what was heard, and believes no browser that claims more', () => {
  const { line, listen, report, sentBytes } = open();
  listen();
  line.send(Buffer.alloc(3 * second));
  expect(sentBytes()).toBe(second);
  expect(line.queuedMs).toBe(3_000);
  report(0, 8_000);
  expect(line.playedMs).toBe(500);
  expect(sentBytes()).toBeGreaterThanOrEqual(1.5 * second);
  report(0, 4_000_000_000);
  expect(line.playedMs).toBeLessThanOrEqual(2_000);
  for (let round = 0; round < 5; round += 1) report(0, 4_000_000_000);
  expect(line.playedMs).toBe(3_000);
});

it('discards what was not heard, however late the browser learns of it', () => {
  const { line, listen, report, sent, sentBytes } = open();
  listen();
  line.send(Buffer.alloc(2 * second));
  line.clear();
  expect(line.queuedMs).toBe(line.playedMs);
  expect(sent.at(-1)).toBe('{"type":"clear","clears":1}');
  line.send(Buffer.alloc(second / 2));
  expect(sentBytes()).toBe(1.5 * second);
  // It still plays some of the first part.
  report(0, 4_800);
  expect(line.playedMs).toBe(300);
  report(1, 4_800 + 8_000, 8_000);
  expect(line.playedMs).toBe(800);
  expect(line.queuedMs).toBe(800);
});

it('passes on whole frames of 20 ms, those from before there is a listener too', () => {
  const { heard, listen, report } = open();
  report(0, 0, 0, Buffer.alloc(1_000, 1));
  listen();
  expect(heard).toHaveLength(1);
  report(0, 0, 0, Buffer.alloc(300, 1));
  expect(heard.map(({ length }) => length)).toEqual([640, 640]);
});

it('ends when the browser sends no sound', () => {
  const { listen, report, closed, ends, handlers } = open();
  listen();
  vi.advanceTimersByTime(9_000);
  report(0, 0);
  vi.advanceTimersByTime(9_000);
  expect(closed).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(closed).toEqual([[1000, 'remote_hangup']]);
  handlers.onClose();
  expect(ends).toEqual([{ cause: 'remote_hangup', detail: 'The browser sent no sound for 10 seconds.' }]);
  expect(vi.getTimerCount()).toBe(0);
});

it('reports an end from before there is a listener', () => {
  const { handlers, listen, ends } = open();
  handlers.onClose();
  listen();
  expect(ends).toEqual([{ cause: 'remote_hangup', detail: 'The connection to the browser was lost.' }]);
});
