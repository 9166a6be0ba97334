import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import twilio from 'twilio';
import { type FakePhone, openFakePhone } from './fake-twilio-phone.ts';

type Form = Record<string, string | string[]>;

export interface RestRequest {
  method: string;
  /** Below the account. */
  path: string;
  form: Form;
}

interface RestAnswer {
  status: number;
  body: unknown;
}

export interface FakeCall {
  readonly sid: string;
  readonly status: string;
  /** What the call is doing now. */
  readonly twiml: string;
  /** The form that placed it; empty for a call from outside. */
  readonly form: Form;
  readonly phone: FakePhone | undefined;
  /** Tells the service how the call continues. */
  report(status: string, more?: Record<string, string>): Promise<Response>;
  /** The result of the detection of answering machines. */
  detect(answeredBy: string): Promise<Response>;
  /** The phone is answered: the stream is opened. */
  answer(): Promise<FakePhone>;
  /** The number that the caller is passed on to answers. */
  dialAnswered(): Promise<Response>;
  /** Dialing it is over, and the call continues as the service says. `isOver`: because the caller has hung up. */
  dialEnded(status: string, isOver?: boolean): Promise<string>;
  /** The person hangs up. */
  hangUp(): Promise<void>;
  /** Resolves when the call is over. */
  readonly ended: Promise<void>;
}

export interface FakeTwilio {
  url: string;
  accountSid: string;
  authToken: string;
  /** For the configuration of the service. */
  environment: Record<string, string>;
  requests: RestRequest[];
  calls: FakeCall[];
  /** The numbers of the account, and those that it has verified. */
  numbers: { phone_number: string; capabilities: { voice: boolean } }[];
  callerIds: string[];
  /** Decides how requests are answered, or `undefined` for the usual way. */
  intercept:
    | ((request: RestRequest) => RestAnswer | 'silence' | undefined | Promise<RestAnswer | undefined>)
    | undefined;
  /** Leaves the streams of calls that get other instructions open, as if it took its time. */
  keepsStreams: boolean;
  /** Resolves with the next call that is placed. */
  nextCall(): Promise<FakeCall>;
  /** A caller dials a number whose webhook is this service. Rejected calls have no stream. */
  callIn(serviceUrl: string, numbers: { from: string; to: string }): Promise<FakeCall>;
  /** Does what the last request wanted, although that was not reported. */
  placeLost(): Promise<void>;
  /** Gives a call other instructions. */
  redirect(sid: string, twiml: string): Promise<void>;
  /** Sends a signed form, as all webhooks are. */
  webhook(url: string, form: Record<string, string>): Promise<Response>;
  stop(): Promise<void>;
}

/** A stand-in for Twilio: the official SDK accepts its REST interface, and its signatures are the SDK's. */
export async function startFakeTwilio(): Promise<FakeTwilio> {
  const accountSid = `AC${randomBytes(16).toString('hex')}`;
  const authToken = randomBytes(16).toString('hex');
  const waiting: ((call: FakeCall) => void)[] = [];
  const bySid = new Map<string, ReturnType<typeof makeCall>>();
  const sign = (url: string, form: Form) => twilio.getExpectedTwilioSignature(authToken, url, form);

  function webhook(url: string, form: Record<string, string>): Promise<Response> {
    return fetch(url, {
      method: 'POST',
      headers: { 'x-twilio-signature': sign(url, form) },
      body: new URLSearchParams(form),
    });
  }

  function makeCall(form: Form, firstTwiml: string) {
    const sid = `CA${randomBytes(16).toString('hex')}`;
    const over = Promise.withResolvers<void>();
    let status = 'queued';
    let twiml = firstTwiml;
    let phone: FakePhone | undefined;

    async function report(next: string, more: Record<string, string> = {}): Promise<Response> {
      status = next;
      const url = String(form['StatusCallback'] ?? '');
      if (!url) return new Response();
      return webhook(url, { CallSid: sid, AccountSid: accountSid, CallStatus: next, ...more });
    }

    async function complete(): Promise<void> {
      if (status === 'completed') return;
      status = 'completed';
      phone?.stop();
      // Twilio does not mind that a service is gone.
      await report('completed', { CallDuration: '1' }).catch(() => undefined);
      over.resolve();
    }

    return {
      sid,
      form,
      ended: over.promise,
      get status() {
        return status;
      },
      get twiml() {
        return twiml;
      },
      get phone() {
        return phone;
      },
      report,
      detect: (answeredBy: string) =>
        webhook(String(form['AsyncAmdStatusCallback']), { CallSid: sid, AnsweredBy: answeredBy }),
      async answer() {
        await report('in-progress');
        const url = /<Stream url="([^"]+)"/.exec(twiml)?.[1];
        if (url === undefined) throw new Error(`The call is given no stream: ${twiml}`);
        const found = twiml.matchAll(/<Parameter name="([^"]*)" value="([^"]*)"\/>/g);
        const parameters = Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]));
        const opened = await openFakePhone({ url, callSid: sid, parameters, signature: sign(url, {}) });
        phone = opened;
        const played = twiml;
        // What follows the stream is Hangup, unless the call was given something else in the meantime.
        void opened.closed.then(() => (twiml === played ? complete() : undefined));
        return opened;
      },
      dialAnswered: () => {
        const child = { CallSid: `CA${'c'.repeat(32)}`, ParentCallSid: sid, CallStatus: 'in-progress' };
        return webhook(/statusCallback="([^"]+)"/.exec(twiml)?.[1] ?? '', child);
      },
      async dialEnded(dialed: string, isOver = false) {
        const url = /<Dial [^>]*action="([^"]+)"/.exec(twiml)?.[1] ?? '';
        const fields = {
          CallSid: sid,
          CallStatus: isOver ? 'completed' : 'in-progress',
          DialCallStatus: dialed,
        };
        const response = await webhook(url, fields);
        twiml = await response.text();
        return twiml;
      },
      hangUp: complete,
      update({ Status: wanted, Twiml: other }: Form): void {
        if (wanted === 'completed') void complete();
        if (wanted === 'canceled' && ['queued', 'initiated', 'ringing'].includes(status)) {
          void report('canceled').then(() => over.resolve());
        }
        if (typeof other === 'string') {
          twiml = other;
          if (!fake.keepsStreams) phone?.stop();
        }
      },
    };
  }

  const fake: FakeTwilio = {
    url: '',
    accountSid,
    authToken,
    environment: {},
    requests: [],
    calls: [],
    numbers: [],
    callerIds: [],
    intercept: undefined,
    keepsStreams: false,
    nextCall: () => new Promise((resolve) => waiting.push(resolve)),
    async callIn(serviceUrl, { from, to }) {
      const call = makeCall({}, '');
      bySid.set(call.sid, call);
      const form = { CallSid: call.sid, AccountSid: accountSid, From: from, To: to, Direction: 'inbound' };
      const response = await webhook(`${serviceUrl}/voice/twilio/incoming`, form);
      if (!response.ok) throw new Error(`The webhook answered ${response.status}: ${await response.text()}`);
      call.update({ Twiml: await response.text() });
      fake.calls.push(call);
      return call;
    },
    async placeLost() {
      const lost = fake.requests.at(-1);
      if (lost) answer(lost);
    },
    async redirect(sid, twiml) {
      bySid.get(sid)?.update({ Twiml: twiml });
    },
    webhook,
    async stop() {
      for (const { phone } of fake.calls) phone?.cut();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };

  function answer({ method, path, form }: RestRequest): RestAnswer {
    if (method === 'POST' && path === 'Calls') {
      const call = makeCall(form, String(form['Twiml'] ?? ''));
      bySid.set(call.sid, call);
      fake.calls.push(call);
      waiting.shift()?.(call);
      return { status: 201, body: { sid: call.sid, account_sid: accountSid, status: call.status } };
    }
    const call = bySid.get(/^Calls\/(\w+)$/.exec(path)?.[1] ?? '');
    if (method === 'POST' && call) {
      if (call.status === 'completed')
        return { status: 400, body: { code: 21220, message: 'Call is not in-progress. Cannot redirect.' } };
      call.update(form);
      return { status: 200, body: { sid: call.sid, status: call.status } };
    }
    if (method === 'GET' && call) return { status: 200, body: { sid: call.sid, status: call.status } };
    const wanted = form['PhoneNumber'];
    if (method === 'GET' && path === 'IncomingPhoneNumbers') {
      const found = fake.numbers.filter((one) => one.phone_number === wanted);
      return { status: 200, body: { incoming_phone_numbers: found } };
    }
    if (method === 'GET' && path === 'OutgoingCallerIds') {
      const found = fake.callerIds.filter((one) => one === wanted);
      return { status: 200, body: { outgoing_caller_ids: found.map((one) => ({ phone_number: one })) } };
    }
    return { status: 404, body: { code: 20404, message: 'The requested resource was not found' } };
  }

  const credentials = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  async function handle(request: IncomingMessage) {
    const url = new URL(request.url ?? '/', 'http://twilio');
    const path = url.pathname.replace(`/2010-04-01/Accounts/${accountSid}/`, '').replace(/\.json$/, '');
    const fields = request.method === 'GET' ? url.searchParams : new URLSearchParams(await text(request));
    const form = Object.fromEntries(
      [...fields.keys()].map((name) => {
        const values = fields.getAll(name);
        return [name, values.length > 1 ? values : (values[0] ?? '')];
      }),
    );
    const asked = { method: request.method ?? '', path, form };
    fake.requests.push(asked);
    if (request.headers.authorization !== credentials)
      return { status: 401, body: { code: 20003, message: 'Authenticate' } };
    return (await fake.intercept?.(asked)) ?? answer(asked);
  }

  const server = createServer((request, response) => {
    void handle(request).then((answered) => {
      if (answered === 'silence') return undefined;
      response.writeHead(answered.status, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(answered.body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has a port.');
  fake.url = `http://127.0.0.1:${address.port}`;
  fake.environment = {
    SVC_VOICE_TRANSPORT: 'twilio',
    TWILIO_ACCOUNT_SID: accountSid,
    TWILIO_AUTH_TOKEN: authToken,
    TWILIO_BASE_URL: fake.url,
  };
  return fake;
}
