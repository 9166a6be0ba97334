import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../src/database/drizzle.ts';
import { createWorkspaceService } from '../../../src/workspaces/workspaces.service.ts';
import { createCall } from '../../support/test-app.ts';
import { freeUdpPorts } from '../../support/voice/udp-port.ts';
import { startVoiceService, type VoiceService } from '../../support/voice/voice-service.ts';
import { description, headerIn, openUdpPeer, request, toTagOf, type UdpPeer } from './udp-peer.ts';

let trunk: UdpPeer;
let port: number;
let voice: VoiceService;

beforeAll(async () => {
  trunk = await openUdpPeer();
  port = await freeUdpPorts();
  const rtp = await freeUdpPorts(40);
  voice = await startVoiceService({
    SVC_VOICE_TRANSPORT: 'sip',
    SIP_TRUNK_URI: `sip:127.0.0.1:${trunk.port}`,
    SIP_LISTEN: `127.0.0.1:${port}`,
    RTP_PORT_MIN: String(rtp),
    RTP_PORT_MAX: String(rtp + 39),
    SVC_VOICE_PRICES: JSON.stringify({ telephone: { sip: { inbound: 1, outbound: 1 } } }),
  });
});
afterAll(async () => {
  await voice.stop();
  trunk.close();
});

/** A number whose workspace may have so many calls, and the money for one. */
async function makeNumber(name: string, limit: number) {
  const { id, key } = await voice.service.makeWorkspace();
  await createWorkspaceService(voice.service).changePlan(id, { addCreditUsd: '1.9' }, { calls: limit });
  const { number } = await voice.makeBot({}, key);
  const api = createCall(voice.service.url, key);
  const send = (method: string, caller: string, more: object = {}) => {
    const lines = request(trunk, method, { call: `${name}-${caller}`, ...more });
    trunk.send(
      port,
      lines.map((line) => line.replace('+4930100@', `${number}@`)),
    );
  };
  const about = (start: string, caller: string) =>
    trunk.received.find(
      (text) => text.startsWith(start) && headerIn(text, 'Call-ID') === `${name}-${caller}`,
    );
  return {
    hears: (caller: string, start: string) => expect.poll(() => about(start, caller)).toBeDefined(),
    invite: (caller: string) => send('INVITE', caller, { body: description(40_000) }),
    acknowledge: (caller: string) =>
      send('ACK', caller, { toTag: toTagOf(about('SIP/2.0 200', caller) ?? '') }),
    hangUp: (caller: string) =>
      send('BYE', caller, { cseq: 2, toTag: toTagOf(about('SIP/2.0 200', caller) ?? '') }),
    reasons: async (): Promise<string[]> =>
      (await api('GET /api/v1/conversations')).body.map(
        ({ call: { end_reason: reason } }: { call: { end_reason: string | null } }) => reason ?? 'open',
      ),
    async reserved() {
      const { rows } = await voice.service.database.acrossWorkspaces.execute<{ reserved: number }>(
        sql`select reserved_usd::float8 as reserved from billing_accounts where workspace_id = ${id}`,
      );
      return rows[0]?.reserved ?? 0;
    },
  };
}

it('leaves the calls and the money of a workspace to real callers', async () => {
  const { invite, hears, acknowledge, hangUp, reasons, reserved } = await makeNumber('limit', 1);
  const forgers = ['a', 'b', 'c'];
  for (const name of forgers) invite(name);
  for (const name of forgers) await hears(name, 'SIP/2.0 200');
  expect(await reasons()).toEqual([]);
  expect(await reserved()).toBe(0);
  // Two real callers come at once, and there is place for one.
  for (const name of ['one', 'two']) invite(name);
  for (const name of ['one', 'two']) await hears(name, 'SIP/2.0 200');
  acknowledge('one');
  await expect.poll(reasons).toEqual(['open']);
  expect(await reserved()).toBeGreaterThan(1);
  acknowledge('two');
  await hears('two', 'BYE');
  // Later callers hear that it is busy.
  invite('three');
  await hears('three', 'SIP/2.0 486');
  expect(await reasons()).toEqual(['open']);
  hangUp('one');
  await expect.poll(reasons).toEqual(['caller_hung_up']);
  await expect.poll(reserved).toBe(0);
});

it('shows which call there was no money for', async () => {
  const { invite, hears, acknowledge, reasons } = await makeNumber('money', 5);
  for (const name of ['one', 'two']) {
    invite(name);
    await hears(name, 'SIP/2.0 200');
    acknowledge(name);
    await expect.poll(async () => (await reasons()).length).toBe(name === 'one' ? 1 : 2);
  }
  await hears('two', 'BYE');
  expect((await reasons()).toSorted()).toEqual(['insufficient_balance', 'open']);
});
