import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LineEnd, TransferFailed } from '../../../src/voice/transports/call-transport.ts';
import { patienceMs } from '../../support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { type FakeCall, type FakeTwilio, startFakeTwilio } from '../../support/voice/fake-twilio.ts';
import { startTwilioService, type TwilioService } from './twilio-service.ts';

let fake: FakeTwilio;
let store: TestDatabase;
/** Two nodes that reach each other. */
let service: TwilioService;
let other: TwilioService;
beforeAll(async () => {
  fake = await startFakeTwilio();
  store = await createTestDatabase();
  service = await startTwilioService(fake, {}, store);
  other = await startTwilioService(fake, {}, store);
});
afterAll(async () => {
  await service.stop();
  await other.stop();
  await store.drop();
  await fake.stop();
});
beforeEach(() => {
  fake.intercept = undefined;
});

const until = (check: () => void) => vi.waitFor(check, { timeout: patienceMs, interval: 20 });
const [from, to] = ['+15550100', '+15550199'];

async function place(by: TwilioService) {
  const callId = randomUUID();
  const placed = fake.nextCall();
  await by.transport.place({ callId, from, to, maxSeconds: 600 });
  return { callId, call: await placed };
}

/** A call that was answered, and what its line reported. */
async function connect(by = service) {
  const { callId, call } = await place(by);
  const phone = await call.answer();
  const line = await by.lineOf(callId);
  const digits: string[] = [];
  const frames: Buffer[] = [];
  const ends: LineEnd[] = [];
  const listen = () =>
    line.listen({
      onAudio: (frame) => void frames.push(frame),
      onDigit: (digit) => void digits.push(digit),
      onEnd: (end) => void ends.push(end),
    });
  return { callId, call, phone, line, digits, frames, ends, listen };
}

const streamUrl = ({ url }: TwilioService) => `${url.replace('http', 'ws')}/voice/twilio/media`;

const endsOf = (callId: string) =>
  service.reports.ended.filter((one) => one.callId === callId).map(({ end }) => end.cause);

describe('a line that is passed on', () => {
  it('is passed on to another number, or continues if that fails', async () => {
    const { callId, call, phone, line, ends, listen } = await connect();
    listen();
    fake.intercept = () => ({ status: 400, body: { code: 13223, message: 'Invalid phone number' } });
    await expect(line.transfer('+15550142')).rejects.toThrow(TransferFailed);
    await expect(line.transfer('+15550142')).rejects.toThrow('Invalid phone number');
    fake.intercept = undefined;
    expect(ends).toEqual([]);
    const transferred = line.transfer('+15550142');
    await phone.closed;
    expect(call.twiml).toContain(
      `<Dial callerId="${from}" action="${service.url}/voice/twilio/dialed?call_id=`,
    );
    await expect(line.transfer('+15550143')).rejects.toThrow('is being transferred');
    expect(ends, 'nobody has answered yet').toEqual([]);
    await call.dialAnswered();
    await transferred;
    expect(ends).toEqual([{ cause: 'transferred' }]);
    expect(call.status).toBe('in-progress');
    await expect(line.transfer('+15550142')).rejects.toThrow(TransferFailed);
    expect(await call.dialEnded('completed')).toContain('<Response><Hangup/></Response>');
    expect(endsOf(callId)).toEqual(['transferred']);
  });

  it.each([
    ['busy', 'The number is busy.', false],
    ['no-answer', 'Nobody answered.', true],
  ])('gets the caller back if the other number is %s', async (status, reason, isSlow) => {
    const { call, phone, line, frames, digits, ends, listen } = await connect();
    listen();
    fake.keepsStreams = isSlow;
    const refused = expect(line.transfer('+15550142')).rejects.toThrow(reason);
    await until(() => expect(call.twiml).toContain('<Dial'));
    const before = frames.length;
    // The line continues with silence, and what is said is not heard.
    await until(() => expect(frames.length).toBeGreaterThan(before + 5));
    line.send(Buffer.alloc(800, 0x24));
    expect(line.queuedMs).toBe(line.playedMs);
    expect(await call.dialEnded(status)).toContain('<Stream');
    const again = await call.answer();
    await refused;
    // The stream from before the transfer says nothing about the line any more, however late it closes.
    await phone.closed;
    fake.keepsStreams = false;
    line.send(Buffer.alloc(800, 0x25));
    await until(() => expect(again.heard).toEqual(Buffer.alloc(800, 0x25)));
    await again.say(Buffer.alloc(320, 0x26));
    again.press('8');
    await until(() => expect(digits).toEqual(['8']));
    expect(frames.at(-1)).toEqual(Buffer.alloc(160, 0x26));
    await call.hangUp();
    await until(() => expect(ends).toEqual([{ cause: 'remote_hangup' }]));
  });

  it('gets the caller back even before Twilio has confirmed the transfer', async () => {
    const { call, phone, line, digits, ends, listen } = await connect();
    listen();
    line.send(Buffer.alloc(80_000, 0x24));
    const confirmed = Promise.withResolvers<{ status: number; body: unknown }>();
    fake.intercept = () => confirmed.promise;
    const refused = expect(line.transfer('+15550142')).rejects.toThrow('The number is busy.');
    await until(() => expect(String(fake.requests.at(-1)?.form['Twiml'])).toContain('<Dial'));
    await fake.placeLost();
    await phone.closed;
    expect(await call.dialEnded('busy')).toContain('<Stream');
    const again = await call.answer();
    again.press('7');
    await until(() => expect(digits).toEqual(['7']));
    confirmed.resolve({ status: 200, body: {} });
    await refused;
    line.send(Buffer.alloc(800, 0x25));
    await until(() =>
      expect(again.heard, 'nothing of what was said before').toEqual(Buffer.alloc(800, 0x25)),
    );
    expect(ends).toEqual([]);
    fake.intercept = undefined;
    await call.hangUp();
    await until(() => expect(ends).toEqual([{ cause: 'remote_hangup' }]));
  });

  it('ends while it is passed on if the caller hangs up or the bot must', async () => {
    const left = await connect();
    left.listen();
    const first = expect(left.line.transfer('+15550142')).rejects.toThrow('The call has ended.');
    await left.phone.closed;
    expect(await left.call.dialEnded('canceled', true)).toContain('<Hangup/>');
    await first;
    expect(left.ends).toEqual([{ cause: 'remote_hangup' }]);

    const cut = await connect();
    cut.listen();
    const second = expect(cut.line.transfer('+15550142')).rejects.toThrow('The call has ended.');
    await cut.phone.closed;
    cut.line.hangUp();
    await second;
    await cut.call.ended;
    expect(cut.ends).toEqual([{ cause: 'local_hangup' }]);
  });

  it('hears of it from another node, which says so to a caller whose stream arrives there', async () => {
    /** Twilio's next webhook or stream reaches the other node. */
    const goElsewhere = (call: FakeCall) =>
      fake.redirect(
        call.sid,
        call.twiml
          .replaceAll(service.url, other.url)
          .replaceAll(service.url.replace('http', 'ws'), other.url.replace('http', 'ws')),
      );
    const taken = await connect();
    taken.listen();
    const transferred = taken.line.transfer('+15550142');
    await taken.phone.closed;
    await goElsewhere(taken.call);
    await taken.call.dialAnswered();
    await transferred;
    expect(taken.ends).toEqual([{ cause: 'transferred' }]);

    const { call, phone, line, ends, listen } = await connect();
    listen();
    const fail = async (before = phone) => {
      const transferring = line.transfer('+15550142').catch((error: unknown) => error);
      await before.closed;
      await goElsewhere(call);
      const returning = await call.dialEnded('busy');
      expect(returning).toContain(`<Stream url="${streamUrl(other)}"`);
      await service.hearsFrom(other);
      return { transferring, returning };
    };
    // Behind a load balancer the address is the same, and the stream may arrive at the right node.
    const first = await fail();
    await fake.redirect(call.sid, first.returning.replace(streamUrl(other), streamUrl(service)));
    const back = await call.answer();
    expect(await first.transferring).toMatchObject({ message: 'The number is busy.' });
    const again = await fail(back);
    await call.answer();
    await until(() => expect(call.twiml).toMatch(/<Say>The call could not be transferred.*<Hangup/));
    line.hangUp();
    expect(await again.transferring).toBeInstanceOf(TransferFailed);
    expect(ends).toEqual([{ cause: 'local_hangup' }]);
  });

  it('asks Twilio if it hears nothing, and does not take silence for success', async () => {
    const deaf = await startTwilioService(fake, { dialNewsWithinMs: 50 });
    let dialed: unknown[] = [];
    fake.intercept = ({ method, path }) =>
      method === 'GET' && path === 'Calls' ? { status: 200, body: { calls: dialed } } : undefined;
    const taken = await connect(deaf);
    taken.listen();
    dialed = [{ status: 'busy' }, { status: 'in-progress' }];
    await taken.line.transfer('+15550142');
    expect(taken.ends).toEqual([{ cause: 'transferred' }]);
    expect(fake.requests.map(({ form }) => form)).toContainEqual({ ParentCallSid: taken.call.sid });

    const lost = await connect(deaf);
    lost.listen();
    dialed = [{ status: 'no-answer' }];
    await expect(lost.line.transfer('+15550142')).rejects.toThrow(TransferFailed);
    expect(lost.ends).toMatchObject([{ cause: 'failed', detail: expect.stringContaining('not known') }]);
    // A call that has ended for us is not charged.
    await lost.call.ended;
    expect(taken.call.status).toBe('in-progress');

    // They may be talking: the call is looked after like any other that was passed on.
    const unknown = await connect(deaf);
    unknown.listen();
    fake.intercept = ({ method }) => (method === 'GET' ? { status: 500, body: {} } : undefined);
    await unknown.line.transfer('+15550142');
    expect(unknown.ends).toEqual([{ cause: 'transferred' }]);
    expect(unknown.line.passedOn).toMatchObject({ networkId: unknown.call.sid });
    expect(unknown.call.status).toBe('in-progress');
    await deaf.stop();
  });
});
