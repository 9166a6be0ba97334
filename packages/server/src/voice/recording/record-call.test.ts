import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { type RecordCallOptions, recordCall } from './record-call.ts';

test('a recording that cannot begin does not end the call', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const callRecordings = { begin: () => Promise.reject(new Error('The disk is full.')) };
  const options = { row: {}, line: { format: 'mulaw-8000' }, isKeypadMasked: true, log };
  const recorder = await recordCall(
    { callRecordings } as unknown as Parameters<typeof recordCall>[0],
    options as unknown as RecordCallOptions,
  );
  expect(recorder).toBeUndefined();
  expect(lines.join()).toContain('The disk is full.');
});

test('what the line still sends while the last part is written is not recorded', async () => {
  const written: { position: number; bytes: number }[] = [];
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const letWrite = Promise.withResolvers<void>();
  const callRecordings = {
    begin: () => Promise.resolve(),
    async append(_row: unknown, { position, bytes }: { position: number; bytes: number }) {
      await letWrite.promise;
      written.push({ position, bytes });
      return true;
    },
  };
  let onAudio: (frame: Buffer) => void = () => {};
  const line = {
    format: 'mulaw-8000',
    playedMs: 0,
    listen(events: { onAudio(frame: Buffer): void }) {
      onAudio = events.onAudio;
    },
  };
  const options = { row: {}, line, isKeypadMasked: true, log: pino({ level: 'silent' }) };
  const recorder = await recordCall(
    { callRecordings } as unknown as Parameters<typeof recordCall>[0],
    options as unknown as RecordCallOptions,
  );
  if (!recorder) throw new Error('It is not recorded.');
  recorder.line.listen({ onAudio() {}, onDigit() {}, onEnd() {} });
  const hear = (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1_000;
      onAudio(Buffer.alloc(8_000, 1));
    }
  };
  hear(6);
  const closed = recorder.close();
  hear(12);
  letWrite.resolve();
  await closed;
  expect(written).toEqual([
    { position: 0, bytes: 80_000 },
    { position: 1, bytes: 96_000 },
  ]);
});
