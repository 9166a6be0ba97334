import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CallNotPlaced, TransferFailed } from '../../../src/voice/transports/call-transport.ts';
import type { Baresip } from '../../support/voice/baresip.ts';
import { type Kamailio, startKamailio } from '../../support/voice/kamailio.ts';
import {
  mulawTone,
  mulawToneMs,
  readRecording,
  tone,
  toneMs,
  writeToneFile,
} from '../../support/voice/tones.ts';
import { type OpenSip, phoneTone, useSip } from './use-sip.ts';

const stage = useSip();
const account = { username: 'svc-account', password: 'correct horse' };
const ours = '+4930100';
const secondTone = 700;
let first: Baresip;
let second: Baresip;
let trunk: Kamailio;
let sip: OpenSip;

beforeAll(async () => {
  const wav = join(stage.folder, 'second.wav');
  await writeToneFile(wav, tone(secondTone, 40_000));
  first = await stage.phone({ user: '+4930201' });
  second = await stage.phone({ user: '+4930202', plays: wav });
  trunk = await startKamailio({
    folder: join(stage.folder, 'trunk'),
    ...account,
    phones: { '+4930201': first, '+4930202': second, '+4930203': second },
    number: ours,
    refusesReferTo: '+4930(202|999)',
  });
  sip = await stage.open(trunk.port, { ...account, isRegistering: true });
});
afterAll(() => trunk.stop());

/** 8,000 samples of two bytes. */
const bytesPerSecond = 16_000;
const callTo = (callId: string, to: string) => ({ callId, from: ours, to, maxSeconds: 60 });

/** That of the latest call. */
const recordingOf = async (phone: Baresip) => (await phone.heard()).at(-1) ?? '';

/** Waits until both phones have recorded so much more: on a busy machine that takes longer than the time itself. */
async function bothRecord(milliseconds: number): Promise<void> {
  const recorded = async (phone: Baresip) => {
    const files = await Promise.all((await phone.heard()).map((path) => stat(path)));
    return files.reduce((sum, { size }) => sum + size, 0);
  };
  await Promise.all(
    [first, second].map(async (phone) => {
      const enough = (await recorded(phone)) + (milliseconds * bytesPerSecond) / 1000;
      await expect.poll(() => recorded(phone)).toBeGreaterThanOrEqual(enough);
    }),
  );
}

describe('a trunk with a password', () => {
  it('sends us the calls of our number after we have registered', async () => {
    await first.dial(`sip:${ours}@127.0.0.1:${trunk.port}`);
    await expect.poll(() => sip.exchange.incomingCalls.length).toBe(1);
    expect(sip.exchange.incomingCalls[0]).toMatchObject({ transport: 'sip', from: '+4930201', to: ours });
    const { line, audio } = await sip.exchange.lineOf('in-1');
    await expect.poll(() => mulawToneMs(Buffer.concat(audio), phoneTone)).toBeGreaterThan(200);
    line.hangUp();
    expect(await sip.exchange.endOf('in-1')).toEqual({ cause: 'local_hangup' });
    await first.printed(/terminated|closed/);
  });

  it('refuses calls with a wrong password', async () => {
    const other = await stage.open(trunk.port, { ...account, password: 'wrong' });
    await expect(other.transport.place(callTo('refused', '+4930201'))).rejects.toThrow(CallNotPlaced);
    await expect(sip.transport.place(callTo('nobody', '+4930999'))).rejects.toThrow(/404/);
  });

  it('transfers by referral', async () => {
    await sip.transport.place(callTo('referred', '+4930201'));
    const { line } = await sip.exchange.lineOf('referred');
    await line.transfer('+4930203');
    expect(await sip.exchange.endOf('referred')).toEqual({ cause: 'transferred' });
    await second.printed(/established/);
    await first.hangUp();
  });

  it('connects two calls where the trunk does not transfer', async () => {
    await sip.transport.place(callTo('bridged', '+4930201'));
    const { line } = await sip.exchange.lineOf('bridged');
    line.send(mulawTone(1_000, 300));
    await expect.poll(() => line.playedMs).toBe(line.queuedMs);
    await expect(line.transfer('+4930999')).rejects.toThrow(TransferFailed);
    await line.transfer('+4930202');
    expect(await sip.exchange.endOf('bridged')).toEqual({ cause: 'transferred' });
    await bothRecord(2_000);
    await second.hangUp();
    // The recording is complete a moment after the call.
    const heardBy = async (phone: Baresip, frequency: number) =>
      toneMs(await readRecording(await recordingOf(phone)), frequency);
    await expect.poll(() => heardBy(first, secondTone)).toBeGreaterThan(500);
    await expect.poll(() => heardBy(second, phoneTone)).toBeGreaterThan(500);
  });

  it('tells the person who takes a call what it is about, and connects the two after that', async () => {
    await sip.transport.place(callTo('announced', '+4930201'));
    const { line } = await sip.exchange.lineOf('announced');
    const announced = 1_200;
    // The trunk would refer to this one.
    await line.transfer('+4930203', {
      text: 'A caller.',
      language: 'en-US',
      speak: async () => mulawTone(announced, 600),
    });
    expect(await sip.exchange.endOf('announced')).toEqual({ cause: 'transferred' });
    await bothRecord(2_000);
    await second.hangUp();
    const newest = async (phone: Baresip) => readRecording(await recordingOf(phone));
    // The recording is complete a moment after the call.
    await expect.poll(async () => toneMs(await newest(second), announced)).toBeGreaterThanOrEqual(500);
    const other = await newest(second);
    expect(toneMs(other, phoneTone)).toBeGreaterThan(500);
    const startOf = (frequency: number) => {
      for (let at = 0; at < other.length; at += 800)
        if (toneMs(other.subarray(at, at + 800), frequency) > 60) return at;
      return Number.POSITIVE_INFINITY;
    };
    expect(startOf(announced)).toBeLessThan(startOf(phoneTone));
    // The caller does not hear it.
    await expect.poll(async () => toneMs(await newest(first), secondTone)).toBeGreaterThan(500);
    expect(toneMs(await newest(first), announced)).toBe(0);
  });
});
