import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallNotPlaced, type LineEnd } from '../../../src/voice/transports/call-transport.ts';
import { patienceMs } from '../../support/patience.ts';
import { type FakeTwilio, startFakeTwilio } from '../../support/voice/fake-twilio.ts';
import { startTwilioService, type TwilioService } from './twilio-service.ts';

let fake: FakeTwilio;
let service: TwilioService;
beforeAll(async () => {
  fake = await startFakeTwilio();
  service = await startTwilioService(fake, { timeoutMilliseconds: 1_000 });
});
afterAll(async () => {
  await service.stop();
  await fake.stop();
});
beforeEach(() => {
  fake.intercept = undefined;
});

const until = (check: () => void) => vi.waitFor(check, { timeout: patienceMs, interval: 20 });
const [from, to] = ['+15550100', '+15550199'];

async function place(callId = randomUUID()) {
  const placed = fake.nextCall();
  await service.transport.place({ callId, from, to, maxSeconds: 600 });
  return { callId, call: await placed };
}

/** A call that was answered, and what its line reported. */
async function connect() {
  const { callId, call } = await place();
  const phone = await call.answer();
  const line = await service.lineOf(callId);
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

const endsOf = (callId: string) =>
  service.reports.ended.filter((one) => one.callId === callId).map(({ end }) => end.cause);

describe('a call that is placed', () => {
  it('has everything that Twilio needs to know', async () => {
    const { callId, call } = await place();
    expect(call.form).toMatchObject({
      To: to,
      From: from,
      StatusCallback: `${service.url}/voice/twilio/status?call_id=${callId}`,
      StatusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
      TimeLimit: '600',
      MachineDetection: 'Enable',
      AsyncAmd: 'true',
      AsyncAmdStatusCallback: `${service.url}/voice/twilio/answered?call_id=${callId}`,
    });
    expect(JSON.stringify(call.form)).not.toContain(fake.authToken);
    await call.report('ringing');
    expect(service.reports.ringing).toContain(callId);
  });

  it.each([
    ['busy', {}, 'busy'],
    ['no-answer', {}, 'no_answer'],
    ['failed', { SipResponseCode: '404' }, 'failed'],
    ['canceled', {}, 'local_hangup'],
    ['completed', {}, 'remote_hangup'],
  ])('that ends as %s is reported, even repeatedly', async (status, more, cause) => {
    const { callId, call } = await place();
    expect((await call.report(status, more)).status).toBe(204);
    expect((await call.report(status, more)).status).toBe(204);
    await call.report('ringing');
    expect(endsOf(callId)).toEqual([cause, cause]);
  });

  it('that Twilio refuses is not placed, with its reason and no secret', async () => {
    const fail = async () => service.transport.place({ callId: randomUUID(), from, to, maxSeconds: 60 });
    const message = `The number ${to} is not valid (${fake.authToken})`;
    fake.intercept = () => ({ status: 400, body: { code: 21211, message } });
    await expect(fail()).rejects.toThrow(CallNotPlaced);
    await expect(fail()).rejects.toThrow(`Twilio refused: The number ${to} is not valid (***) (error 21211)`);
    fake.intercept = () => ({ status: 503, body: { message: 'secret internals' } });
    await expect(fail()).rejects.toThrow('Twilio failed with status 503.');
    fake.intercept = () => ({ status: 401, body: { message: 'Authenticate' } });
    await expect(fail()).rejects.toThrow('does not accept the credentials');
    fake.intercept = () => ({ status: 200, body: ['nonsense'] });
    await expect(fail()).rejects.toThrow(CallNotPlaced);
  });

  it('that Twilio does not confirm is cancelled when it turns out to be placed', async () => {
    const callId = randomUUID();
    const placed = fake.nextCall();
    fake.intercept = () => 'silence';
    const failed = expect(service.transport.place({ callId, from, to, maxSeconds: 60 })).rejects;
    await failed.toThrow('did not respond within 1 seconds');
    fake.intercept = undefined;
    await fake.placeLost();
    const call = await placed;
    await call.report('initiated');
    await call.ended;
    expect(call.status).toBe('canceled');
    expect(endsOf(callId)).toEqual(['local_hangup']);
  });

  it('can be cancelled while it rings and while it is being placed', async () => {
    const { callId, call } = await place();
    await call.report('ringing');
    service.transport.cancel(callId);
    await call.ended;
    expect(endsOf(callId)).toEqual(['local_hangup']);
    service.transport.cancel(callId);

    const early = randomUUID();
    const placing = place(early);
    service.transport.cancel(early);
    const second = await placing;
    await second.call.ended;
    expect(endsOf(early)).toEqual(['local_hangup']);
    service.transport.cancel(randomUUID());
  });

  it('goes to voicemail: the call ends and the line says why, wherever it is', async () => {
    const here = await connect();
    here.listen();
    await here.call.detect('human');
    expect(here.ends).toEqual([]);
    await here.call.detect('machine_start');
    expect(here.ends).toEqual([{ cause: 'voicemail' }]);
    await here.call.ended;

    const elsewhere = await place();
    await elsewhere.call.detect('machine_start');
    await elsewhere.call.ended;
    expect(endsOf(elsewhere.callId)[0]).toBe('voicemail');
  });
});

describe('a line', () => {
  it('passes audio in both directions, paced, with marks, digits and what was said early', async () => {
    const { call, phone, line, digits, frames, ends, listen } = await connect();
    phone.press('5');
    await phone.say(Buffer.alloc(800, 0x21));
    listen();
    await until(() => expect(Buffer.concat(frames)).toEqual(Buffer.alloc(800, 0x21)));
    expect(digits).toEqual(['5']);

    const spoken = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));
    line.send(spoken);
    expect(line.queuedMs).toBe(2_500);
    await until(() => expect(phone.heard.equals(spoken)).toBe(true));
    await until(() => expect(line.playedMs).toBe(2_500));
    expect(phone.maxBuffered, 'ran too far ahead').toBeLessThanOrEqual(16_160);
    expect(phone.received.filter((one) => one.event === 'media').every((one) => one.bytes === 160)).toBe(
      true,
    );

    line.hangUp();
    line.hangUp();
    await call.ended;
    expect(ends).toEqual([{ cause: 'local_hangup' }]);
    line.send(spoken);
    expect(line.queuedMs).toBe(2_500);
  });

  it('discards what was not heard, and knows what was', async () => {
    const { call, phone, line, ends, listen } = await connect();
    listen();
    line.send(Buffer.alloc(24_000, 0x22));
    await until(() => expect(phone.heard.length).toBeGreaterThan(4_000));
    line.clear();
    const heardMs = line.playedMs;
    expect(line.queuedMs).toBe(heardMs);
    await until(() => expect(phone.received.at(-1)).toEqual({ event: 'clear' }));
    expect(phone.buffered).toBe(0);
    // Between two marks, which are 200 ms apart, it is an estimate.
    expect(heardMs).toBeGreaterThan(0);
    expect(heardMs).toBeLessThanOrEqual(phone.heard.length / 8 + 220);

    line.send(Buffer.alloc(800, 0x23));
    await until(() => expect(phone.heard.subarray(-800)).toEqual(Buffer.alloc(800, 0x23)));
    await until(() => expect(line.playedMs).toBe(heardMs + 100));
    await call.hangUp();
    await until(() => expect(ends).toEqual([{ cause: 'remote_hangup' }]));
  });

  it('has failed if the connection breaks, and the call is ended', async () => {
    const { call, phone, ends, listen } = await connect();
    phone.cut();
    await call.ended;
    await until(() => expect(fake.requests.at(-1)?.form).toEqual({ Status: 'completed' }));
    listen();
    expect(ends).toEqual([{ cause: 'failed', detail: expect.any(String) }]);
  });
});

describe('a call from outside', () => {
  it('is connected as the exchange decides, with a time limit', async () => {
    const callId = randomUUID();
    service.decide = () => ({ accept: true, callId, maxSeconds: 300 });
    const call = await fake.callIn(service.url, { from: '+15550177', to: from });
    expect(service.reports.incoming.at(-1)).toEqual({
      transport: 'twilio',
      networkId: call.sid,
      from: '+15550177',
      to: from,
    });
    await call.answer();
    const line = await service.lineOf(callId);
    await until(() => expect(fake.requests.at(-1)?.form).toEqual({ TimeLimit: '300' }));
    line.hangUp();
    await call.ended;
  });

  it('is over if the caller gives up before it is connected', async () => {
    const callId = randomUUID();
    service.decide = () => ({ accept: true, callId, maxSeconds: 300 });
    const call = await fake.callIn(service.url, { from: '+15550177', to: from });
    service.known.set(call.sid, callId);
    const report = (CallSid: string) =>
      fake.webhook(`${service.url}/voice/twilio/status`, { CallSid, CallStatus: 'completed' });
    expect((await report(call.sid)).status).toBe(204);
    expect(endsOf(callId)).toEqual(['remote_hangup']);
    const reported = service.reports.ended.length;
    expect((await report(`CA${'e'.repeat(32)}`)).status).toBe(204);
    expect(service.reports.ended.length).toBe(reported);
  });

  it.each([
    ['busy', 'busy'],
    ['unknown_number', 'rejected'],
    ['unavailable', 'rejected'],
  ] as const)('is rejected if %s', async (reason, twiml) => {
    service.decide = () => ({ accept: false, reason });
    const call = await fake.callIn(service.url, { from: 'anonymous', to: from });
    expect(call.twiml).toContain(`<Response><Reject reason="${twiml}"/></Response>`);
    expect(service.reports.incoming.at(-1)?.from).toBeNull();
  });
});

describe('a number', () => {
  it('can be called from if the account has it for voice, or has verified it', async () => {
    fake.numbers = [
      { phone_number: '+15550111', capabilities: { voice: true } },
      { phone_number: '+15550112', capabilities: { voice: false } },
    ];
    fake.callerIds = ['+15550113'];
    const numbers = ['+15550111', '15550111', '+15550112', '+15550113', '+15550114'];
    const answers = await Promise.all(numbers.map((one) => service.transport.canCallFrom(one)));
    expect(answers).toEqual([true, true, false, true, 'not_ours']);
    fake.intercept = () => ({ status: 500, body: {} });
    await expect(service.transport.canCallFrom('+15550111')).rejects.toThrow('Twilio failed');
  });
});
