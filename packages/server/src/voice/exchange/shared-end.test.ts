import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { playTransport } from '../../../test/bus/play-transport.ts';
import { createBus } from '../../bus/create-bus.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { type SharedEndDependencies, shareEnds } from './shared-end.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const log = pino({ level: 'silent' });
const call = { id: 'a', workspaceId: 'w', endReason: null, endedAt: null } as VoiceCallRow;

function start({ isAlone = false } = {}) {
  let row: VoiceCallRow | undefined = call;
  const asked: Parameters<SharedEndDependencies['endHere']>[0][] = [];
  const transport = playTransport();
  const bus = createBus({ log, transport });
  if (!isAlone) transport.handlers.onConnected('x');
  const ends = shareEnds({
    bus,
    callRecords: {
      find: async () => row,
      findAnywhere: async () => row,
      async requestEnd(_call, endRequestedReason, endRequestedDetail) {
        if (row) row = { ...row, endRequestedReason, endRequestedDetail };
      },
    },
    endHere: async (wanted) => void asked.push(wanted),
    log,
  });
  const change = (next: VoiceCallRow | undefined) => void (row = next);
  return { ends, asked, change, transport };
}

it.each([{ ...call, endedAt: new Date() }, undefined])(
  'waits until the call is over or deleted',
  async (after) => {
    const { ends, asked, change } = start();
    const ended = ends.end(call, 'voicemail', 'A machine.');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toEqual([{ callId: 'a', reason: 'voicemail', detail: 'A machine.' }]);
    change(after);
    await vi.advanceTimersByTimeAsync(200);
    expect(await ended).toBe(true);
    ends.stop();
    ends.tell({ callId: 'a', reason: 'stopped' });
    expect(asked).toHaveLength(1);
  },
);

it('gives up after a while, and at once where no other process can be reached', async () => {
  const ended = start().ends.end(call, 'stopped');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await ended).toBe(false);
  expect(await start({ isAlone: true }).ends.end(call, 'stopped')).toBe(false);
});

it('ends a call for the reason on its record, whatever a message says', async () => {
  const { ends, asked, change, transport } = start();
  const hear = async () => {
    transport.receive('call to end:any', { callId: 'a', reason: 'voicemail', detail: 'Somebody says so.' });
    await vi.advanceTimersByTimeAsync(0);
  };
  await hear();
  expect(asked).toEqual([]);
  change({ ...call, endReason: 'stopped', endDetail: null, endedAt: new Date() });
  await hear();
  expect(asked).toEqual([{ callId: 'a', reason: 'stopped' }]);
  ends.stop();
});
