import { afterEach, expect, it } from 'vitest';
import type { ExpectSipCall } from '../src/calls/answer-call.ts';
import { dial } from '../src/calls/dial.ts';
import type { DialOutcome, SipCallEnd } from '../src/calls/dial-outcome.ts';
import type { SipCall } from '../src/calls/sip-call.ts';
import type { Transfer } from '../src/calls/transfer.ts';
import { silence } from '../src/g711.ts';
import type { OpenUserAgent } from '../src/open-user-agent.ts';
import { PortTaken } from '../src/udp-socket.ts';
import { openAgent } from './open-agent.ts';

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

async function call({ agent }: OpenUserAgent, to: string): Promise<SipCall | DialOutcome> {
  const media = await agent.openMedia();
  if (!media) throw new Error('There is no port for audio.');
  return new Promise((resolve) => {
    const events = { onProgress: ignore, onAnswered: resolve, onFailed: resolve };
    dial(agent, { from: '+4930100', to, ringMs: 60_000, media }, events);
  });
}

async function talk(caller: OpenUserAgent, to: string): Promise<SipCall> {
  const result = await call(caller, to);
  if ('isPlaced' in result) throw new Error(result.end.detail);
  return result;
}

it('two agents talk, press keys and hang up', async () => {
  const numbers: unknown[] = [];
  const answered = Promise.withResolvers<SipCall>();
  const callee = await open(discard, async ({ from, to }) => {
    numbers.push(from, to);
    return { onConfirmed: answered.resolve, onGone: () => answered.reject(new Error('gone')) };
  });
  const caller = await open(callee.agent.port, refuse);
  const ours = await talk(caller, '+4930200');
  const theirs = await answered.promise;
  expect(numbers).toEqual(['+4930100', '+4930200']);
  const [heardByUs, heardByThem] = [record(ours), record(theirs)];
  ours.media.playout.push(Buffer.alloc(1_600, 0x33));
  await expect
    .poll(() => heardByThem.frames.filter((frame) => frame.every((byte) => byte === 0x33)).length)
    .toBe(10);
  theirs.media.press('7');
  await expect.poll(() => heardByUs.digits).toEqual(['7']);
  expect(heardByUs.frames.every((frame) => frame.equals(silence(20)))).toBe(true);
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

it('where the other side does not transfer, the number is called and both calls are connected', async () => {
  const answered: { call: SipCall; transfer: Transfer }[] = [];
  const callee = await open(discard, async () => ({
    onConfirmed: (one, transfer) => answered.push({ call: one, transfer }),
    onGone: ignore,
  }));
  const middle = await open(callee.agent.port, async () => ({
    onConfirmed: (one, transfer) => answered.push({ call: one, transfer }),
    onGone: ignore,
  }));
  const caller = await open(middle.agent.port, refuse);
  const ours = await talk(caller, '+4930200');
  const heard = record(ours);
  await expect.poll(() => answered.length).toBe(1);
  expect(await answered[0]?.transfer('+4930300')).toBe('transferred');
  await expect.poll(() => answered.length).toBe(2);
  answered[1]?.call.media.playout.push(Buffer.alloc(1_600, 0x44));
  await expect.poll(() => heard.frames.some((frame) => frame.includes(0x44))).toBe(true);
  answered[1]?.call.hangUp();
  await expect.poll(() => heard.ends).toEqual([{ cause: 'remote_hangup' }]);
});
