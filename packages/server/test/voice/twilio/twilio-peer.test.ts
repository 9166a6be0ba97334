import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fc from 'fast-check';
import twilio from 'twilio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { signatureOf, streamToken } from '../../../src/voice/transports/twilio/twilio-signature.ts';
import {
  connectTwiml,
  dialTwiml,
  farewellTwiml,
  rejectTwiml,
} from '../../../src/voice/transports/twilio/twiml.ts';
import { type FakeTwilio, startFakeTwilio } from '../../support/voice/fake-twilio.ts';
import { startTwilioService, type TwilioService } from './twilio-service.ts';

let fake: FakeTwilio;
let service: TwilioService;
beforeAll(async () => {
  fake = await startFakeTwilio();
  service = await startTwilioService(fake);
});
afterAll(async () => {
  await service.stop();
  await fake.stop();
});

const sid = `CA${'0'.repeat(32)}`;
const incoming = '/voice/twilio/incoming';
const bySdk = (url: string, form: object) =>
  twilio.getExpectedTwilioSignature(fake.authToken, url, form as Record<string, string>);

function post(path: string, form: Record<string, string> | string, signature?: string, type?: string) {
  const text = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const headers = {
    'content-type': type ?? 'application/x-www-form-urlencoded',
    ...(signature !== undefined && { 'x-twilio-signature': signature }),
  };
  return fetch(service.url + path, { method: 'POST', headers, body: text });
}

describe('the official SDK', () => {
  it('makes the same signatures', () => {
    const url = fc.webUrl({ withQueryParameters: true });
    const fields = fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.string(), fc.array(fc.string())));
    fc.assert(
      fc.property(url, fields, fc.string(), (address, form, token) => {
        const own = new Map(Object.entries(form).map(([name, value]) => [name, [value].flat()]));
        const made = signatureOf(token, address, own);
        expect(made).toBe(twilio.getExpectedTwilioSignature(token, address, form));
        expect(twilio.validateRequest(token, made, address, form)).toBe(true);
      }),
    );
  });

  it('writes the same TwiML', () => {
    const odd = 'a&b"<c>';
    const parameters = {
      call_id: 'x',
      token: odd,
      number: '+1',
      max_seconds: '9',
      direction: 'inbound',
    } as const;
    const connected = new twilio.twiml.VoiceResponse();
    const stream = connected.connect().stream({ url: 'wss://voice.example.com/media?a=1&b=2' });
    for (const [name, value] of Object.entries(parameters)) stream.parameter({ name, value });
    connected.hangup();
    const ours = connectTwiml('wss://voice.example.com/media?a=1&b=2', parameters);
    // In attributes only these need to be escaped; more of it means the same.
    expect(ours.replaceAll('&gt;', '>')).toBe(connected.toString());

    const dialed = new twilio.twiml.VoiceResponse();
    const url = 'https://voice.example.com/dialed?call_id=x';
    const events: 'answered'[] = ['answered'];
    dialed
      .dial({ callerId: '+1555', action: url, method: 'POST', timeout: 30, timeLimit: 600 })
      .number({ statusCallbackEvent: events, statusCallback: url, statusCallbackMethod: 'POST' }, '+1556');
    const wanted = { callerId: '+1555', to: '+1556', url, seconds: 30, maxTalkSeconds: 600 };
    expect(dialTwiml(wanted)).toBe(dialed.toString());
    const parting = new twilio.twiml.VoiceResponse();
    parting.say('Bye & thanks.');
    parting.hangup();
    expect(farewellTwiml('Bye & thanks.')).toBe(parting.toString());
    const rejected = new twilio.twiml.VoiceResponse();
    rejected.reject({ reason: 'busy' });
    expect(rejectTwiml('busy')).toBe(rejected.toString());
  });

  it('accepts the fake', async () => {
    const httpClient = new twilio.RequestClient();
    const send = httpClient.request.bind(httpClient);
    httpClient.request = (options) =>
      send({ ...options, uri: options.uri.replace('https://api.twilio.com', fake.url) });
    const client = twilio(fake.accountSid, fake.authToken, { httpClient });
    const twiml = '<Response/>';
    const created = await client.calls.create({ to: '+15550199', from: '+15550100', twiml, timeLimit: 60 });
    expect(created).toMatchObject({ sid: expect.stringMatching(/^CA/), status: 'queued' });
    expect(fake.calls.at(-1)?.form).toMatchObject({ To: '+15550199', Twiml: twiml, TimeLimit: '60' });
    await client.calls(created.sid).update({ status: 'completed' });
    await fake.calls.at(-1)?.ended;
    await expect(client.calls(created.sid).update({ twiml })).rejects.toMatchObject({ code: 21220 });
    fake.numbers = [{ phone_number: '+15550111', capabilities: { voice: true } }];
    const [number] = await client.incomingPhoneNumbers.list({ phoneNumber: '+15550111' });
    expect(number?.capabilities.voice).toBe(true);
    const stranger = twilio(fake.accountSid, 'wrong', { httpClient });
    await expect(stranger.calls.create({ to: '1', from: '2', twiml })).rejects.toMatchObject({ status: 401 });
  });
});

describe('a webhook', () => {
  const form = { CallSid: sid, From: '+15550177', To: '+15550100' };

  it('is accepted with a valid signature, by any way of writing the port, and harmless when repeated', async () => {
    const url = service.url + incoming;
    const signatures = [bySdk(url, form), bySdk(url.replace(/:\d+\//, '/'), form), bySdk(url, form)];
    for (const signature of signatures) {
      const answer = await post(incoming, form, signature);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^text\/xml/);
    }
    const callId = randomUUID();
    const path = `/voice/twilio/status?call_id=${callId}`;
    const status = { CallSid: sid, CallStatus: 'busy' };
    expect((await post(path, status, bySdk(service.url + path, status))).status).toBe(204);
    expect(service.reports.ended.at(-1)).toEqual({ callId, end: { cause: 'busy' } });
    const bare = '/voice/twilio/status';
    expect((await post(bare, status, bySdk(service.url + bare, status))).status).toBe(204);
  });

  it('is refused without one, or with one for anything else', async () => {
    const url = service.url + incoming;
    const good = bySdk(url, form);
    const attempts = [
      post(incoming, form),
      post(incoming, form, ''),
      post(incoming, form, 'AAAA'),
      post(incoming, form, `${good}=`),
      post(incoming, { ...form, To: '+15550101' }, good),
      post(incoming, { ...form, Extra: '1' }, good),
      post(`${incoming}?a=1`, form, good),
      post('/voice/twilio/status', form, good),
      post(`/voice/twilio/dialed?call_id=${randomUUID()}`, form, good),
      post(incoming, form, twilio.getExpectedTwilioSignature('another token', url, form)),
    ];
    const before = service.reports.incoming.length;
    for (const answer of await Promise.all(attempts)) {
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ success: false, code: 'FORBIDDEN' });
    }
    expect(service.reports.incoming.length).toBe(before);
  });

  it('is refused in another form, too large, or with too many fields', async () => {
    expect((await post(incoming, '{}', 'x', 'application/json')).status).toBe(415);
    expect((await post(incoming, { ...form, Long: 'x'.repeat(70_000) }, 'x')).status).toBe(413);
    expect((await post(incoming, 'a&'.repeat(30_000), 'x')).status).toBe(400);
    const wrong = { CallSid: '../x', To: '+1' };
    expect((await post(incoming, wrong, bySdk(service.url + incoming, wrong))).status).toBe(400);
  });

  it('never fails with a 5xx, whatever is signed', async () => {
    const value = fc.string({ unit: 'binary', maxLength: 40 });
    const name = fc.constantFrom(
      'CallSid',
      'From',
      'To',
      'CallStatus',
      'AnsweredBy',
      'DialCallStatus',
      '__proto__',
      'toString',
    );
    const path = fc.constantFrom(
      incoming,
      '/voice/twilio/status',
      '/voice/twilio/answered',
      `/voice/twilio/dialed?call_id=${randomUUID()}`,
    );
    await fc.assert(
      fc.asyncProperty(path, fc.dictionary(name, value), fc.boolean(), async (where, fields, isValid) => {
        const sent = Object.fromEntries(new URLSearchParams(fields));
        const all = isValid ? { ...sent, CallSid: sid, To: '+15550100' } : sent;
        const answer = await post(where, all, bySdk(service.url + where, all));
        expect(answer.status, JSON.stringify(all)).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the WebSocket of a call', () => {
  const address = () => `${service.url.replace('http', 'ws')}/voice/twilio/media`;
  const signed = () => ({ headers: { 'x-twilio-signature': bySdk(address(), {}) } });

  async function refusal(headers: Record<string, string>): Promise<number | undefined> {
    const socket = new WebSocket(address(), { headers });
    socket.on('error', () => undefined);
    const [, response] = await once(socket, 'unexpected-response');
    response.resume();
    return response.statusCode;
  }

  const start = (callId: string, token: string, callSid = sid) =>
    JSON.stringify({
      event: 'start',
      start: {
        streamSid: 'MZ1',
        callSid,
        customParameters: { call_id: callId, token },
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
      },
    });

  it('is refused unless Twilio opens it', async () => {
    const wrong = bySdk(`${service.url}/elsewhere`, {});
    expect([await refusal({}), await refusal({ 'x-twilio-signature': wrong })]).toEqual([403, 403]);
    const withSlash = { headers: { 'x-twilio-signature': bySdk(`${address()}/`, {}) } };
    for (const options of [signed(), withSlash]) {
      const socket = new WebSocket(address(), options);
      await once(socket, 'open');
      socket.terminate();
    }
  });

  it('opens the line of its own call only, and once', async () => {
    const callId = randomUUID();
    const token = streamToken(fake.authToken, callId);
    const attempts = [
      start(callId, streamToken(fake.authToken, randomUUID())),
      start(callId, ''),
      start(callId, token, '../../Other'),
    ];
    const opening = async (message: string) => {
      const socket = new WebSocket(address(), signed());
      await once(socket, 'open');
      socket.send(message);
      return socket;
    };
    for (const message of attempts) {
      const [code] = await once(await opening(message), 'close');
      expect(code, message).toBe(1008);
    }
    const socket = await opening(start(callId, token));
    const line = await service.lineOf(callId);
    const [code] = await once(await opening(start(callId, token)), 'close');
    expect(code).toBe(1008);
    line.hangUp();
    await once(socket, 'close');
  });

  it('survives any message', async () => {
    const json = fc.record({
      event: fc.constantFrom('start', 'media', 'mark', 'dtmf', 'stop', 'connected', 'clear'),
      media: fc.option(
        fc.record({
          payload: fc.oneof(fc.string(), fc.jsonValue()),
          chunk: fc.jsonValue(),
          timestamp: fc.jsonValue(),
        }),
      ),
      start: fc.option(fc.jsonValue()),
      mark: fc.option(fc.jsonValue()),
      dtmf: fc.option(fc.jsonValue()),
    });
    const message = fc.oneof(
      { weight: 6, arbitrary: json.map((one) => JSON.stringify(one)) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), async (messages) => {
        const callId = randomUUID();
        const socket = new WebSocket(address(), signed());
        await once(socket, 'open');
        socket.send(start(callId, streamToken(fake.authToken, callId)));
        const line = await service.lineOf(callId);
        const ended = new Promise<string>((resolve) => {
          const onEnd = ({ cause }: { cause: string }) => resolve(cause);
          line.listen({
            onAudio: (frame) => expect(frame.length).toBe(160),
            onDigit: () => undefined,
            onEnd,
          });
        });
        line.send(Buffer.alloc(320));
        for (const one of messages) socket.send(one);
        socket.close();
        expect(['remote_hangup', 'failed']).toContain(await ended);
      }),
      { numRuns: 40 },
    );
    const answer = await post(incoming, { CallSid: sid, To: '+1' }, 'x');
    expect(answer.status).toBe(403);
  });
});
