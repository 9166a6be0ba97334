import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/lib/new-id.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createCallRecords } from '../../src/voice-calls/records/call-records.service.ts';
import { type Member, makeMember } from '../support/members.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';
import { type FakeDeepgram, startFakeDeepgram } from '../support/voice/fake-deepgram.ts';
import { type FakeElevenLabs, startFakeElevenLabs } from '../support/voice/fake-elevenlabs.ts';
import { freeUdpPorts } from '../support/voice/udp-port.ts';
import { description, headerIn, openUdpPeer, request, toTagOf, type UdpPeer } from './sip/udp-peer.ts';

let store: TestDatabase;
let trunk: UdpPeer;
let deepgram: FakeDeepgram;
let elevenLabs: FakeElevenLabs;
/** Has the port, and is a process that can be killed. */
let owner: ServiceProcess;
let other: TestNode;
/** On another machine. */
let far: TestNode | undefined;
let sipPort: number;
let environment: Record<string, string>;
let operator: Member;
let botId: string;

const ports = (sip: number, rtp: number) => ({
  SIP_LISTEN: `127.0.0.1:${sip}`,
  RTP_PORT_MIN: String(rtp),
  RTP_PORT_MAX: String(rtp + 19),
});

beforeAll(async () => {
  [store, trunk] = await Promise.all([createTestDatabase(), openUdpPeer()]);
  [deepgram, elevenLabs] = await Promise.all([startFakeDeepgram(), startFakeElevenLabs()]);
  sipPort = await freeUdpPorts();
  environment = {
    SVC_VOICE_TRANSPORT: 'sip',
    SIP_TRUNK_URI: `sip:127.0.0.1:${trunk.port}`,
    ...ports(sipPort, await freeUdpPorts(20)),
    DEEPGRAM_API_KEY: 'key',
    DEEPGRAM_BASE_URL: deepgram.url,
    ELEVENLABS_API_KEY: 'key',
    ELEVENLABS_BASE_URL: elevenLabs.url,
  };
  owner = await startServiceProcess({ ...store.environment, ...environment });
  await owner.ready();
  other = await startNode({
    database: store.database,
    keyRing: createKeyRing(store.encryptionKey),
    environment,
  });
  operator = await makeMember({ url: other.url, database: store.database }, { role: 'operator' });
  const bot = { name: 'Phone', system_prompt: 'x', tts_provider: 'elevenlabs', outbound_calls_enabled: true };
  botId = (await other.call('POST /api/v1/bots', { body: bot })).body.id;
  const number = { phone_number: '+4930100', bot_id: botId, outbound_capable: true };
  const made = await other.call('POST /api/v1/voice/numbers', { body: number });
  await other.call(`PUT /api/v1/voice/numbers/${made.body.id}`, { body: { is_outbound_primary: true } });
});

afterAll(async () => {
  await Promise.all([other.stop(), far?.stop()]);
  if (owner.child.exitCode === null && owner.child.signalCode === null) await owner.end('SIGKILL');
  await Promise.all([deepgram.close(), elevenLabs.close()]);
  trunk.close();
  await store.drop();
});

const place = (to: string) => other.call('POST /api/v1/calls', { body: { bot_id: botId, to_number: to } });
const read = async (id: string) => (await other.call(`GET /api/v1/conversations/${id}`)).body.call;

/** Sends a call to our number: each of its branches is a request of its own. */
const callIn = (port: number, name: string, branch: string) =>
  trunk.send(port, request(trunk, 'INVITE', { call: name, branch, body: description(40_000) }));

/** The responses to a call that was sent to us, without repetitions. */
const responses = (name: string, status: number) => [
  ...new Set(
    trunk.received.filter(
      (text) => text.startsWith(`SIP/2.0 ${status} `) && headerIn(text, 'Call-ID') === name,
    ),
  ),
];

/** The calls to our number, newest first. */
const inbound = async () =>
  (await other.call('GET /api/v1/conversations?channel=voice')).body.filter(
    ({ title }: { title: string }) => title === 'Call from +4930999',
  );

it('places the calls of a process without the port, gives them up, and survives the process with it', async () => {
  // The phone rings, and the call is ended on the process that has no line.
  const ringing = place('+4930201');
  const invite = await trunk.next('INVITE sip:+4930201@');
  // Another node with a port of its own is told of the call too, and does not get it.
  const [{ id, tenant_id: workspaceId }] = (await other.call('GET /api/v1/conversations?channel=voice')).body;
  const records = createCallRecords(store);
  expect(await records.claim({ workspaceId, id }, newId())).toBeUndefined();
  trunk.reply(invite, '180 Ringing');
  const { call_id: rang } = (await ringing).body.data;
  await expect.poll(async () => (await read(rang)).status).toBe('ringing');
  expect((await operator.call(`POST /api/console/voice/calls/${rang}/end`)).status).toBe(200);
  trunk.reply(await trunk.next('CANCEL sip:+4930201@'), '200 OK');
  trunk.reply(invite, '487 Request Terminated');
  await trunk.next('ACK sip:+4930201@');
  expect(await read(rang)).toMatchObject({ status: 'completed', end_reason: 'stopped' });

  // The trunk's refusal reaches the caller of the API.
  const refused = place('+4930202');
  trunk.reply(await trunk.next('INVITE sip:+4930202@'), '503 Service Unavailable');
  await trunk.next('ACK');
  expect(await refused).toMatchObject({ status: 400, body: { code: 'CALL_FAILED' } });
  expect((await refused).body.message).toContain('503 Service Unavailable');

  // A call is answered, and then ended on the process that has no line.
  const talk = async (to: string) => {
    const placed = place(to);
    const asked = await trunk.next(`INVITE sip:${to}@`);
    trunk.reply(asked, '180 Ringing');
    trunk.reply(asked, '200 OK', [], description(40_000));
    await trunk.next('ACK');
    const { call_id: callId } = (await placed).body.data;
    await expect.poll(async () => (await read(callId)).status).toBe('in_progress');
    return { id: callId, asked };
  };
  const first = await talk('+4930203');
  expect((await operator.call(`POST /api/console/voice/calls/${first.id}/end`)).status).toBe(200);
  // The process with the line has ended it, so that the seconds since it was last charged are paid.
  const ended = await read(first.id);
  expect(ended).toMatchObject({ status: 'completed', end_reason: 'stopped' });
  expect(Number(ended.cost_usd)).toBeGreaterThan(0);
  trunk.reply(await trunk.next('BYE'), '200 OK');

  // The process with the port is killed during a call: the other one takes over.
  const lost = await talk('+4930204');
  const left = await talk('+4930206');
  // So it is while a caller is being answered.
  callIn(sipPort, 'kept', 'kept');
  await expect.poll(() => responses('kept', 200).length).toBe(1);
  await owner.end('SIGKILL');
  // As the processes of a machine notice it: before the other one has the port.
  await store.database.acrossWorkspaces.prepared(
    {
      name: 'test.forget_node',
      text: 'delete from nodes where id = (select node_id from voice_calls where id = $1)',
    },
    [lost.id],
  );
  const ending = operator.call(`POST /api/console/voice/calls/${left.id}/end`);
  const asked = trunk.received.length;
  const next = place('+4930205');
  const again = await trunk.next('INVITE sip:+4930205@');
  expect(headerIn(again, 'Contact')).toBe(headerIn(lost.asked, 'Contact'));
  // One request, however often it is sent.
  expect(new Set(trunk.received.slice(asked).filter((one) => one.startsWith('INVITE'))).size).toBe(1);
  trunk.reply(again, '486 Busy Here');
  await trunk.next('ACK');
  const { call_id: busy } = (await next).body.data;
  await expect.poll(() => read(busy)).toMatchObject({ status: 'busy', end_reason: 'busy' });
  // The caller's request arrives again, now at the other process: it is the same call.
  callIn(sipPort, 'kept', 'kept');
  await expect.poll(() => responses('kept', 200).length).toBe(2);
  const kept = { call: 'kept', toTag: toTagOf(responses('kept', 200)[1] ?? '') };
  trunk.send(sipPort, request(trunk, 'ACK', kept));
  await expect.poll(inbound).toMatchObject([{ status: 'in_progress' }]);

  // No process has the line of this one: it is over anyway, as lost if that was noticed first.
  expect((await ending).status).toBe(200);
  expect((await read(left.id)).end_reason).toMatch(/^(?:stopped|node_lost)$/);
  await expect.poll(async () => (await read(lost.id)).end_reason).toBe('node_lost');
  // Its telephone was told, by the process that has the port now.
  const isHungUp = (text: string) =>
    text.startsWith('BYE') && headerIn(text, 'Call-ID') === headerIn(lost.asked, 'Call-ID');
  await expect.poll(() => trunk.received.some(isHungUp)).toBe(true);

  // On another machine, where the trunk sends the same call.
  const { database, encryptionKey } = store;
  const [farSip, farRtp] = [await freeUdpPorts(), await freeUdpPorts(20)];
  far = await startNode({
    database,
    keyRing: createKeyRing(encryptionKey),
    environment: { ...environment, ...ports(farSip, farRtp) },
  });
  callIn(farSip, 'kept', 'second');
  await expect.poll(() => responses('kept', 482).length).toBe(1);
  trunk.send(farSip, request(trunk, 'ACK', { ...kept, branch: 'second' }));
  // Both at once: one of them gets it.
  callIn(farSip, 'forked', 'one');
  callIn(sipPort, 'forked', 'two');
  await expect.poll(() => responses('forked', 482).length).toBe(1);
  await expect.poll(() => responses('forked', 200).length).toBe(1);
  const [forked = ''] = responses('forked', 200);
  const winner = Number(/:(\d+)>/.exec(headerIn(forked, 'Contact'))?.[1]);
  trunk.send(winner, request(trunk, 'ACK', { call: 'forked', toTag: toTagOf(forked) }));
  await expect.poll(inbound).toMatchObject([{ status: 'in_progress' }, { status: 'in_progress' }]);
  for (const [port, dialog] of [
    [sipPort, kept],
    [winner, { call: 'forked', toTag: toTagOf(forked) }],
  ] as const)
    trunk.send(port, request(trunk, 'BYE', { ...dialog, cseq: 2 }));
  await expect.poll(inbound).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
});
