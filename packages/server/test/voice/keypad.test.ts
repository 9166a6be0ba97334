import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tablesContaining } from '../end-users/find-text.ts';
import { text, toolCall } from '../scripted-model/script.ts';
import { assignTools } from '../support/quality.ts';
import { openSse } from '../support/sse-client.ts';
import { startVoiceService, until, type VoiceService } from '../support/voice/voice-service.ts';

let voice: VoiceService;
let payments: Server;
/** The bodies that the payment service got. */
const paid: string[] = [];

beforeAll(async () => {
  payments = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      paid.push(body);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ ok: true, echoed: JSON.parse(body), note: 'Card 4929 4212 3460 0821 ok' }),
      );
    });
  });
  await new Promise<void>((resolve) => payments.listen(0, '127.0.0.1', resolve));
  voice = await startVoiceService({ SVC_EGRESS_ALLOW: '127.0.0.1' });
});
afterAll(async () => {
  await voice.stop();
  await new Promise((resolve) => payments.close(resolve));
});

const [card, pin] = ['4929421234600821', '9174'];

async function makeBot(
  settings: object = {},
  configuration: object = { keypad_input: true },
): Promise<string> {
  const { port } = payments.address() as AddressInfo;
  const tool = await voice.service.call('POST /api/v1/tools', {
    body: {
      tool_type: 'http_request',
      name: 'Pay',
      description: 'Pays with a card.',
      configuration: {
        method: 'POST',
        url: `http://127.0.0.1:${port}/pay`,
        approval: 'never',
        ...configuration,
        body: { card: '{{card}}', pin: '{{pin}}' },
        parameters: {
          type: 'object',
          properties: { card: { type: 'string' }, pin: { type: 'string' } },
          required: ['card', 'pin'],
        },
      },
    },
  });
  expect(tool.status, JSON.stringify(tool.body)).toBe(201);
  const tools = [{ tool_type: 'http_request', tool_configuration_id: tool.body.id }];
  const { botId, number } = await voice.makeBot({ enable_agent_tracing: true, ...settings });
  await assignTools(voice.service.call, botId, tools);
  return number;
}

/** A call in which the caller enters a card number and a PIN, which the bot pays with. */
async function payBy(number: string, [shownCard, shownPin]: [string, string]) {
  voice.replies.push([text('And your PIN?')]);
  voice.replies.push([toolCall('Pay', { card: '[keypad:1]', pin: '[keypad:2]' })], [text('Thank you.')]);
  const call = await voice.twilio.callIn(voice.service.url, { from: '+4930777', to: number });
  const phone = await call.answer();
  const callId = await voice.newest();
  const stream = await openSse(`${voice.service.url}/api/v1/chat/stream?conversation_id=${callId}`, {
    key: voice.service.key,
    headers: { 'last-event-id': '0' },
  });
  const contents = async () =>
    (await voice.read(callId)).messages.map(({ content }: { content: string }) => content);
  await until(contents).toContain('Hello, this is Acme.');
  for (const digit of `${card}#`) phone.press(digit);
  await until(contents).toContain('And your PIN?');
  expect(await contents()).toContain(shownCard);
  for (const digit of `${pin}#`) phone.press(digit);
  await until(contents).toContain('Thank you.');
  expect(await contents()).toContain(shownPin);
  return { call, callId, stream };
}

it('is masked everywhere, and a tool gets it in full', async () => {
  const number = await makeBot();
  const { call, callId, stream } = await payBy(number, ['****0821 [keypad:1]', '**** [keypad:2]']);
  expect(paid.splice(0).map((body) => JSON.parse(body))).toEqual([{ card, pin }]);
  await call.hangUp();
  await voice.over(callId);
  const trace = await voice.service.call(`GET /api/v1/conversations/${callId}/trace`);
  expect(trace.status).toBe(200);
  stream.close();
  const seen = {
    database: [
      ...(await tablesContaining(voice.service.database, card)),
      ...(await tablesContaining(voice.service.database, '4929 4212 3460 0821')),
      ...(await tablesContaining(voice.service.database, `"${pin}"`)),
    ],
    log: voice.service.logged.join('\n'),
    events: JSON.stringify(stream.events),
    trace: JSON.stringify(trace.body),
    conversation: JSON.stringify(await voice.read(callId)),
    model: JSON.stringify(voice.model.requests.map(({ body }) => body)),
  };
  expect(seen.database).toEqual([]);
  expect(seen.events).toContain('[keypad:1]');
  expect(seen.model).toContain('****0821');
  for (const [place, found] of Object.entries(seen)) {
    for (const secret of [card, '4929 4212 3460 0821', `"${pin}"`, `\\"${pin}\\"`])
      expect(found.includes(secret), `${place} contains ${secret}`).toBe(false);
  }
});

it('is not given to a tool that is not configured to get it', async () => {
  const number = await makeBot({}, {});
  const { call, callId, stream } = await payBy(number, ['****0821 [keypad:1]', '**** [keypad:2]']);
  expect(paid.splice(0).map((body) => JSON.parse(body))).toEqual([{ card: '[keypad:1]', pin: '[keypad:2]' }]);
  stream.close();
  await call.hangUp();
  await voice.over(callId);
});

it('is masked if the caller hangs up before it is complete', async () => {
  const number = await makeBot();
  const call = await voice.twilio.callIn(voice.service.url, { from: '+4930779', to: number });
  const phone = await call.answer();
  const callId = await voice.newest();
  await until(async () => (await voice.read(callId)).messages.length).toBe(1);
  for (const digit of '61529') phone.press(digit);
  await call.hangUp();
  await voice.over(callId);
  const { messages } = await voice.read(callId);
  expect(messages.map(({ content }: { content: string }) => content)).toContain('**** [keypad:1]');
});

it('is shown in full by a bot that does not mask it', async () => {
  const number = await makeBot({ keypad_masking: false });
  voice.replies.push([text('Thank you.')]);
  const call = await voice.twilio.callIn(voice.service.url, { from: '+4930778', to: number });
  const phone = await call.answer();
  const callId = await voice.newest();
  await until(async () => (await voice.read(callId)).messages.length).toBe(1);
  // Not the digits that are looked for elsewhere.
  for (const digit of '50836#') phone.press(digit);
  await until(async () => (await voice.read(callId)).messages[1]?.content).toBe('50836');
  await call.hangUp();
  await voice.over(callId);
});
