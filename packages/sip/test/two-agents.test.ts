import { afterEach, expect, it } from 'vitest';
import { type AudioFormat, decodeAudio } from '../src/audio-format.ts';
import type { ExpectSipCall } from '../src/calls/answer-call.ts';
import { dial } from '../src/calls/dial.ts';
import type { DialOutcome, SipCallEnd } from '../src/calls/dial-outcome.ts';
import type { SipCall } from '../src/calls/sip-call.ts';
import type { Transfer } from '../src/calls/transfer.ts';
import type { OpenUserAgent } from '../src/open-user-agent.ts';
import { PortTaken } from '../src/udp-socket.ts';
import { openAgent } from './open-agent.ts';
import { amplitudeOf, pureTone } from './pure-tone.ts';

const opened: OpenUserAgent[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ stop }) => stop()));
});

const ignore = () => undefined;

async function open(trunkPort: number, answer: ExpectSipCall, port = 0): Promise<OpenUserAgent> {
  const agent = await openAgent({ trunkPort, expect: answer, port });
  opened.push(agent);
  return agent;
}

const refuse: ExpectSipCall = async () => ({ refuse: 486 });
const discard = 9;

interface Heard {
  frames: Buffer[];
  digits: string[];
  ends: SipCallEnd[];
}

function record(answered: SipCall): Heard {
  const heard: Heard = { frames: [], digits: [], ends: [] };
  answered.listen({
    onAudio: (frame) => heard.frames.push(frame),
    onDigit: (digit) => heard.digits.push(digit),
    onEnd: (end) => heard.ends.push(end),
  });
  return heard;
}

async function call(
  { agent }: OpenUserAgent,
  to: string,
  format?: AudioFormat,
): Promise<SipCall | DialOutcome> {
  const media = await agent.openMedia(format);
  if (!media) throw new Error('There is no port for audio.');
  return new Promise((resolve) => {
    const events = { onProgress: ignore, onAnswered: resolve, onFailed: resolve };
    dial(agent, { from: '+4930100', to, ringMs: 60_000, media }, events);
  });
}

async function talk(caller: OpenUserAgent, to: string, format?: AudioFormat): Promise<SipCall> {
  const result = await call(caller, to, format);
  if ('isPlaced' in result) throw new Error(result.end.detail);
  return result;
}

/** Makes it a phone without wideband. */
function withoutWideband({ agent }: OpenUserAgent): void {
  const { openMedia } = agent;
  agent.openMedia = () => openMedia('mulaw-8000');
}

/** Whether so many frames have a tone of this frequency. */
const hasTone = ({ frames }: Heard, format: AudioFormat, frequency: number, count: number) =>
  frames.filter((frame) => amplitudeOf(frequency, format, frame) > 5_000).length >= count;

it.each([
  { format: 'pcm16-16000', frequency: 6_000, asked: undefined },
  { format: 'mulaw-8000', frequency: 1_000, asked: 'mulaw-8000' },
] as const)('two agents talk in $format, press keys and hang up', async ({ format, frequency, asked }) => {
  const numbers: unknown[] = [];
  const answered = Promise.withResolvers<SipCall>();
  const callee = await open(discard, async ({ from, to }) => {
    numbers.push(from, to);
    return { onConfirmed: answered.resolve, onGone: () => answered.reject(new Error('gone')) };
  });
  const caller = await open(callee.agent.port, refuse);
  const ours = await talk(caller, '+4930200', asked);
  const theirs = await answered.promise;
  expect(numbers).toEqual(['+4930100', '+4930200']);
  const [heardByUs, heardByThem] = [record(ours), record(theirs)];
  expect([ours.media.format, theirs.media.format]).toEqual([format, format]);
  ours.media.playout.push(pureTone(frequency, format, 200));
  await expect.poll(() => hasTone(heardByThem, format, frequency, 9)).toBe(true);
  await expect.poll(() => ours.media.playout.playedMs).toBe(200);
  theirs.media.press('7');
  await expect.poll(() => heardByUs.digits).toEqual(['7']);
  const loudest = Math.max(...heardByUs.frames.flatMap((frame) => [...decodeAudio(format, frame)]));
  expect(loudest).toBeLessThan(20);
  theirs.hangUp();
  await expect.poll(() => heardByUs.ends).toEqual([{ cause: 'remote_hangup' }]);
  expect(heardByThem.ends).toEqual([{ cause: 'local_hangup' }]);
  expect([caller.agent.calls.size, callee.agent.calls.size]).toEqual([0, 0]);
});

it('a call is refused with the status that was chosen, and a second agent does not get the port', async () => {
  const callee = await open(discard, refuse);
  const caller = await open(callee.agent.port, refuse);
  expect(await call(caller, '+4930200')).toEqual({
    isPlaced: true,
    end: { cause: 'busy', detail: '486 Busy Here' },
  });
  await expect(open(discard, refuse, callee.agent.port)).rejects.toThrow(PortTaken);
});

it('a call whose answer cannot be handled ends on both sides', async () => {
  const answered = Promise.withResolvers<SipCall>();
  const callee = await open(discard, async () => ({
    onConfirmed: answered.resolve,
    onGone: () => answered.reject(new Error('gone')),
  }));
  const caller = await open(callee.agent.port, refuse);
  const { openMedia } = caller.agent;
  caller.agent.openMedia = async (format) => {
    const media = await openMedia(format);
    if (media)
      media.use = () => {
        throw new Error('It cannot be used.');
      };
    return media;
  };
  expect(await call(caller, '+4930200')).toMatchObject({ end: { cause: 'failed' } });
  const { ends } = record(await answered.promise);
  await expect.poll(() => ends).toEqual([{ cause: 'remote_hangup' }]);
  expect([caller.agent.calls.size, callee.agent.calls.size]).toEqual([0, 0]);
});

it.each([
  { caller: 'pcm16-16000', callee: 'pcm16-16000' },
  { caller: 'pcm16-16000', callee: 'mulaw-8000' },
  { caller: 'mulaw-8000', callee: 'mulaw-8000' },
] as const)(
  'where the other side does not transfer, the number is called and both calls are connected: $caller, $callee',
  async (formats) => {
    const answered: { call: SipCall; transfer: Transfer }[] = [];
    const callee = await open(discard, async () => ({
      onConfirmed: (one, transfer) => answered.push({ call: one, transfer }),
      onGone: ignore,
    }));
    if (formats.caller !== formats.callee) withoutWideband(callee);
    const middle = await open(callee.agent.port, async () => ({
      onConfirmed: (one, transfer) => answered.push({ call: one, transfer }),
      onGone: ignore,
    }));
    const caller = await open(middle.agent.port, refuse);
    const ours = await talk(caller, '+4930200', formats.caller);
    const heard = record(ours);
    await expect.poll(() => answered.length).toBe(1);
    expect(await answered[0]?.transfer('+4930300')).toBe('transferred');
    await expect.poll(() => answered.length).toBe(2);
    const second = answered[1]?.call;
    if (!second) throw new Error('There is no second call.');
    const heardBySecond = record(second);
    expect([ours.media.format, second.media.format]).toEqual([formats.caller, formats.callee]);
    second.media.playout.push(pureTone(1_000, formats.callee, 1_000));
    ours.media.playout.push(pureTone(2_000, formats.caller, 1_000));
    await expect.poll(() => hasTone(heard, formats.caller, 1_000, 5)).toBe(true);
    await expect.poll(() => hasTone(heardBySecond, formats.callee, 2_000, 5)).toBe(true);
    second.hangUp();
    await expect.poll(() => heard.ends).toEqual([{ cause: 'remote_hangup' }]);
  },
);
