import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PortTaken } from '@svc/sip/udp-socket';
import { describe, expect, it } from 'vitest';
import { decodeAudio, encodeAudio } from '../../../src/voice/audio/line-audio.ts';
import {
  mulawTone,
  mulawToneMs,
  readRecording,
  toneMs,
  wideTone,
  writeToneFile,
} from '../../support/voice/tones.ts';
import { phoneTone, useSip } from './use-sip.ts';

const stage = useSip();
const call = { callId: 'out', from: '+4930111', to: '+4930222', maxSeconds: 60 };

describe('calls with a phone', () => {
  it('talks in both directions, hears keys, is put on hold and is hung up on', async () => {
    const phone = await stage.phone();
    const { transport, exchange } = await stage.open(phone.port);
    await transport.place(call);
    const { line, digits, audio } = await exchange.lineOf('out');
    expect(exchange.rang).toEqual(['out']);
    line.send(mulawTone(1_000, 1_000));
    expect(line.queuedMs).toBe(1_000);
    await expect.poll(() => line.playedMs).toBe(1_000);
    line.send(mulawTone(2_000, 5_000));
    line.clear();
    expect(line.queuedMs).toBe(line.playedMs);
    await phone.press('5#');
    await expect.poll(() => digits).toEqual(['5', '#']);
    await expect.poll(() => mulawToneMs(Buffer.concat(audio), phoneTone)).toBeGreaterThan(800);
    const [heard = ''] = await phone.heard();

    await phone.hold();
    await phone.printed('got SDP answer');
    const playedMs = line.playedMs;
    line.send(mulawTone(1_500, 200));
    await delay(200);
    expect(line.playedMs).toBe(playedMs);
    await phone.resume();
    await expect.poll(() => line.playedMs).toBe(line.queuedMs);
    await phone.hangUp();
    expect(await exchange.endOf('out')).toEqual({ cause: 'remote_hangup' });
    const samples = await readRecording(heard);
    expect(toneMs(samples, 1_000)).toBeGreaterThanOrEqual(900);
    expect(toneMs(samples, 2_000)).toBeLessThanOrEqual(60);
  });

  it('speaks A-law, hears keys by INFO and ends at the time limit', async () => {
    const phone = await stage.phone({ codec: 'PCMA', digits: 'info' });
    const { transport, exchange } = await stage.open(phone.port);
    await transport.place({ ...call, maxSeconds: 2 });
    const { line, digits, audio } = await exchange.lineOf('out');
    line.send(mulawTone(1_000, 600));
    await phone.press('7');
    expect(await exchange.endOf('out')).toEqual({ cause: 'time_limit' });
    expect(digits).toEqual(['7']);
    expect(mulawToneMs(Buffer.concat(audio), phoneTone)).toBeGreaterThan(1_000);
    await phone.printed(/terminated|closed/);
    expect(toneMs(await readRecording((await phone.heard())[0] ?? ''), 1_000)).toBeGreaterThanOrEqual(540);
  });

  it('talks in wideband with a phone that has it, and hears keys', async () => {
    const plays = join(stage.folder, 'wide.wav');
    // No telephone without wideband carries these.
    const [theirs, ours] = [5_000, 6_000];
    await writeToneFile(plays, wideTone(theirs, 40_000), 16_000);
    const phone = await stage.phone({ codec: 'G722', plays });
    const { transport, exchange } = await stage.open(phone.port);
    await transport.place(call);
    const { line, digits, audio } = await exchange.lineOf('out');
    expect(line.format).toBe('pcm16-16000');
    line.send(encodeAudio(line.format, wideTone(ours, 1_000)));
    expect(line.queuedMs).toBe(1_000);
    await expect.poll(() => line.playedMs).toBe(1_000);
    const heardMs = () => toneMs(decodeAudio(line.format, Buffer.concat(audio)), theirs, 16_000);
    await expect.poll(heardMs).toBeGreaterThan(800);
    await phone.press('5#');
    await expect.poll(() => digits).toEqual(['5', '#']);
    const [heard = ''] = await phone.heard();
    await phone.hold();
    await phone.printed('got SDP answer');
    await phone.resume();
    line.send(encodeAudio(line.format, wideTone(ours, 500)));
    await expect.poll(() => line.playedMs).toBe(1_500);
    await phone.hangUp();
    expect(await exchange.endOf('out')).toEqual({ cause: 'remote_hangup' });
    const samples = await readRecording(heard);
    expect(toneMs(samples, ours, 16_000)).toBeGreaterThanOrEqual(900);
  });

  it('is told that the phone is busy, does not answer, or was given up', async () => {
    const phone = await stage.phone({ answers: 'ring' });
    const { transport, exchange } = await stage.open(phone.port, {}, { ring: 500 });
    await transport.place({ ...call, callId: 'long' });
    expect(await exchange.endOf('long')).toEqual({ cause: 'no_answer' });
    await transport.place({ ...call, callId: 'cancelled' });
    transport.cancel('cancelled');
    expect(await exchange.endOf('cancelled')).toEqual({ cause: 'local_hangup' });
    const other = await stage.open(phone.port);
    await other.transport.place({ ...call, callId: 'busy' });
    await phone.hangUp();
    expect(await other.exchange.endOf('busy')).toMatchObject({ cause: 'busy' });
  });

  it('is called, and refuses', async () => {
    const phone = await stage.phone();
    const { transport, exchange } = await stage.open(phone.port);
    await phone.dial(`sip:+4930100@127.0.0.1:${transport.port}`);
    const { line, audio } = await exchange.lineOf('in-1');
    await expect.poll(() => mulawToneMs(Buffer.concat(audio), phoneTone)).toBeGreaterThan(200);
    line.hangUp();
    line.hangUp();
    expect(await exchange.endOf('in-1')).toEqual({ cause: 'local_hangup' });
    exchange.foresee = () => ({ accept: false, reason: 'unknown_number' });
    await phone.dial(`sip:+4930101@127.0.0.1:${transport.port}`);
    await phone.printed('404 Not Found');
    expect(exchange.incomingCalls.map(({ to }) => to)).toEqual(['+4930100', '+4930101']);
    await expect(
      stage.open(phone.port, { listen: { host: '127.0.0.1', port: transport.port } }),
    ).rejects.toThrow(PortTaken);
  });
});
