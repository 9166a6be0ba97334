import type { ProgressFrame, ResultFrame } from '@svc/contract/machine-protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ContinuesElsewhere } from '../../src/lib/continues-elsewhere.ts';
import { newId } from '../../src/lib/new-id.ts';
import { fromMachine } from '../../src/machines/operations/relay.ts';
import { startCommandNode } from '../support/command-node.ts';
import { createFleet } from '../support/faults/service.ts';
import { until } from '../support/faults/until.ts';
import type { MachineNode } from '../support/machine-node.ts';
import { done } from '../support/machine-peer.ts';
import {
  begin,
  type MachineStage,
  openMachineStage,
  type PairedPeer,
  type ProxiedNode,
} from '../support/machine-stage.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';

const fleet = createFleet();
let stage: MachineStage;
/** Runs the turns. */
let caller: MachineNode;
/** Has the machines' connections. */
let relay: ProxiedNode;
let third: MachineNode;
let redis: RedisServer | undefined;
beforeAll(async () => {
  stage = await openMachineStage();
  [caller, relay, third] = [
    await stage.start({ resendMs: 2_000 }),
    await stage.startBehindProxy(),
    await stage.start(),
  ];
});
afterAll(async () => {
  await fleet.end();
  await stage.end();
  await redis?.stop();
});

async function connected(node: { url: string } = relay): Promise<PairedPeer> {
  const peer = await stage.pair();
  await peer.connect(node.url);
  return peer;
}

/** A command that is running on a machine which is connected to another node. */
async function running(node: { url: string } = relay) {
  const peer = await connected(node);
  peer.setScript(() => 'hold');
  const request = stage.command(peer);
  const performance = begin(caller, request);
  await peer.receives('operation');
  return { peer, request, id: request.id, ...performance };
}

/** Of the nodes that live as long as this file: commands of a node that another test ended stay for a while. */
async function countCommands(): Promise<number> {
  const { rows } = await stage.database.acrossWorkspaces.execute<{ count: number }>(
    `select count(*)::int as count from machine_messages where to_node in ('${caller.nodeId}', '${relay.nodeId}')`,
  );
  return rows[0]?.count ?? 0;
}

describe('a machine on another node', () => {
  test('carries out an operation and leaves no command behind', async () => {
    const peer = await connected();
    expect(await begin(caller, stage.command(peer)).promise).toEqual(done);
    expect(await begin(caller, stage.read(peer)).promise).toEqual(done);
    await expect.poll(countCommands).toBe(0);
  });

  test('returns a large result, with characters that PostgreSQL does not store as text', async () => {
    const peer = await connected();
    const rest = 'x'.repeat(7_000_000);
    peer.setScript(() => ({ status: 'ok', value: `\u0000\ud800${rest}` }));
    // A node that sends again soon could get it twice, and the second would take the room of the progress in the next test.
    const outcome = await begin(third, stage.read(peer)).promise;
    // They are replaced as soon as they arrive.
    expect('value' in outcome && outcome.value === `\ufffd\ufffd${rest}`).toBe(true);
  });

  test('reports progress in few messages, in order and before the result', async () => {
    const { peer, id, promise, progress } = await running();
    for (let index = 0; index < 2_000; index += 1)
      peer.send({ type: 'progress', id, text: `line ${index}\n` });
    peer.finish(id);
    expect(await promise).toEqual(done);
    const lines = progress.join('').trimEnd().split('\n');
    // A machine that sends too much loses some of it.
    expect(lines.length).toBeGreaterThan(100);
    expect(lines).toEqual(lines.toSorted((a, b) => Number(a.slice(5)) - Number(b.slice(5))));
    expect(progress.length).toBeLessThan(lines.length / 2);
    expect(progress.every((text) => text.length <= 65_536)).toBe(true);
  });

  test('ends an operation that is stopped', async () => {
    const { peer, id, promise, abort } = await running();
    const reason = new Error('Stopped.');
    abort(reason);
    await expect(promise).rejects.toBe(reason);
    await peer.receives('cancel', id);
  });

  test('ends an operation that any other node cancels', async () => {
    const { id, promise } = await running();
    await third.operations.cancel(stage.workspaceId, [id]);
    expect(await promise).toEqual({ status: 'error', message: 'It was cancelled.' });
  });

  test('answers all nodes that wait for one operation', async () => {
    const { peer, request, id, promise } = await running();
    const onThird = begin(third, request);
    const onRelay = begin(relay, request);
    await until('all have sent it', () => peer.received.length === 3);
    peer.finish(id);
    expect(await Promise.all([promise, onThird.promise, onRelay.promise])).toEqual([done, done, done]);
    expect(peer.carriedOut).toEqual([id]);
  });

  test('leaves an unknown outcome if it is revoked in the middle', async () => {
    const { peer, promise } = await running();
    await third.machines.revoke(stage.workspaceId, peer.machineId);
    expect(await promise).toMatchObject({ status: 'unknown' });
    await until('its connection is closed', () => !peer.isConnected());
  });
});

describe('a machine that moves', () => {
  test('to a third node is sent the operation again there', async () => {
    const { peer, id, promise } = await running();
    await peer.connect(third.url);
    await until('it is sent again', () => peer.received.length === 2);
    peer.finish(id);
    expect(await promise).toEqual(done);
    expect(peer.carriedOut).toEqual([id]);
  });

  test('to the node that runs the turn', async () => {
    const { peer, id, promise } = await running();
    await peer.disconnect();
    peer.finishSilently(id);
    await peer.connect(caller.url);
    expect(await promise).toEqual(done);
    expect(peer.carriedOut).toEqual([id]);
  });

  test('as another instance leaves an unknown outcome', async () => {
    const { peer, id, promise } = await running();
    await peer.disconnect();
    peer.reinstall();
    await peer.connect(third.url);
    expect(await promise).toMatchObject({ status: 'unknown' });
    expect(peer.carriedOut).toEqual([id]);
  });

  test('because its node is killed, with Redis or without', async () => {
    redis = await startRedisServer();
    const environment = { ...stage.environment, SVC_DEFAULT_MODEL: 'builtin/extractive' };
    const [doomed, survivor] = await Promise.all([
      fleet.start({ ...environment, REDIS_URL: redis.url }),
      fleet.start(environment),
    ]);
    const { peer, id, promise } = await running(doomed);
    await doomed.end('SIGKILL');
    peer.finishSilently(id);
    await peer.connect(survivor.url);
    expect(await promise).toEqual(done);
    expect(peer.carriedOut).toEqual([id]);
  });

  test('because its node stops', async () => {
    const stopping = await stage.start();
    const { peer, id, promise } = await running(stopping);
    await stopping.stop();
    await peer.connect(relay.url);
    await until('it is sent again', () => peer.received.length === 2);
    peer.finish(id);
    expect(await promise).toEqual(done);
    expect(peer.carriedOut).toEqual([id]);
  });
});

describe('when messages between nodes are lost', () => {
  test('an operation arrives without a notification', async () => {
    const peer = await connected();
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'svc listener' and datname = current_database()`;
    await stage.database.acrossWorkspaces.execute(terminate);
    expect(await begin(caller, stage.command(peer)).promise).toEqual(done);
  });

  test('an operation is sent again if its command disappeared', async () => {
    const peer = await connected();
    await stage.database.acrossWorkspaces.execute(`create function lose_command() returns trigger language plpgsql as
      $$ begin return null; end $$`);
    await stage.database.acrossWorkspaces.execute(
      'create trigger lose before insert on machine_messages for each row execute function lose_command()',
    );
    const { promise } = begin(caller, stage.command(peer));
    await new Promise((wake) => setTimeout(wake, 500));
    expect(peer.received).toEqual([]);
    await stage.database.acrossWorkspaces.execute('drop function lose_command cascade');
    expect(await promise).toEqual(done);
  });

  test('a result waits until the database is back', async () => {
    const { peer, id, promise, progress } = await running();
    relay.proxy.set('cut');
    peer.send({ type: 'progress', id, text: 'still here' });
    peer.finish(id);
    const posting = () => relay.logged.some((line) => line.includes('commands to other nodes'));
    await until('the relay could not post it', posting);
    relay.proxy.set('open');
    expect(await promise).toEqual(done);
    expect(progress).toEqual(['still here']);
    expect(peer.carriedOut).toEqual([id]);
  });

  test('progress that waits for the database is dropped before it takes much memory, results are not', async () => {
    const reader = await startCommandNode(stage.database);
    const sender = await startCommandNode(relay.database);
    const received: string[] = [];
    reader.handle(fromMachine, ({ frame }) => void received.push(frame.type));
    const send = (frame: ProgressFrame | ResultFrame) =>
      sender.send(
        fromMachine,
        reader.nodeId,
        { machineId: newId(), frame },
        { isDispensable: frame.type === 'progress' },
      );
    relay.proxy.set('cut');
    const text = 'x'.repeat(60_000);
    for (let index = 0; index < 100; index += 1) send({ type: 'progress', id: newId(), text });
    send({ type: 'result', id: newId(), outcome: { status: 'ok', value: text } });
    relay.proxy.set('open');
    await until('all has arrived', () => received.includes('result'));
    expect(received.indexOf('result')).toBe(received.length - 1);
    expect(received.length).toBeLessThan(20);
    await Promise.all([sender.close(), reader.close()]);
  });

  test('an operation with effects is not sent before it can be recorded', async () => {
    const cutOff = await stage.startBehindProxy();
    const peer = await connected(cutOff);
    cutOff.proxy.set('cut');
    const request = stage.command(peer);
    const { promise } = begin(cutOff, request);
    // Reading needs no database where the machine is connected.
    const read = stage.read(peer);
    expect(await begin(cutOff, read).promise).toEqual(done);
    expect(peer.carriedOut).toEqual([read.id]);
    cutOff.proxy.set('open');
    expect(await promise).toEqual(done);
    expect(peer.carriedOut).toEqual([read.id, request.id]);
  });
});

test('a node that stops hands its operations over', async () => {
  const stopping = await stage.start();
  const peer = await stage.pair();
  await peer.connect(stopping.url);
  peer.setScript(() => 'hold');
  const request = stage.command(peer);
  const first = begin(stopping, request);
  await peer.receives('operation');
  await stopping.stop();
  await expect(first.promise).rejects.toBeInstanceOf(ContinuesElsewhere);
  const successor = begin(caller, request);
  await peer.connect(caller.url);
  peer.finish(request.id);
  expect(await successor.promise).toEqual(done);
  expect(peer.carriedOut).toEqual([request.id]);
  expect(peer.received.every(({ type }) => type === 'operation')).toBe(true);
});
