import { pino } from 'pino';
import { expect, test } from 'vitest';
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
