import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ContinuesElsewhere } from '../../src/lib/continues-elsewhere.ts';
import { newId } from '../../src/lib/new-id.ts';
import { until } from '../support/faults/until.ts';
import type { MachineNode } from '../support/machine-node.ts';
import { done } from '../support/machine-peer.ts';
import { begin, type MachineStage, openMachineStage, type PairedPeer } from '../support/machine-stage.ts';

let stage: MachineStage;
let node: MachineNode;
/** For what must happen in time, even on a busy machine. */
let patient: MachineNode;
/** Does not wait for machines that have gone offline. */
let impatient: MachineNode;
beforeAll(async () => {
  stage = await openMachineStage();
  node = await stage.start({ connectMs: 500, graceMs: 500 });
  patient = await stage.start({ connectMs: 60_000, graceMs: 2_000 });
  impatient = await stage.start({ offlineMs: 10 });
});
afterAll(() => stage.end());

const offline = expect.objectContaining({ code: 'MACHINE_OFFLINE' });
const missing = expect.objectContaining({ code: 'NOT_FOUND' });
const unknown = { status: 'unknown', message: expect.any(String) };

async function connected(to = node): Promise<PairedPeer> {
  const peer = await stage.pair();
  await peer.connect(to.url);
  return peer;
}

async function recorded(id: string): Promise<{ machine_id: string; name: string } | undefined> {
  const { rows } = await stage.database.acrossWorkspaces.execute<{ machine_id: string; name: string }>(
    `select machine_id, name from machine_calls where id = '${id}'`,
  );
  return rows[0];
}

describe('a machine on this node', () => {
  test('carries out an operation and is shown for whom', async () => {
    const peer = await connected();
    const request = stage.command(peer);
    expect(await begin(node, request).promise).toEqual(done);
    expect(peer.received).toMatchObject([
      {
        id: request.id,
        name: 'run_command',
        arguments: { command: 'make' },
        requested_by: { bot: `Bot ${request.botId}`, conversation_id: stage.conversationId },
      },
    ]);
  });

  test('returns results and errors of any size that fits into a frame', async () => {
    const peer = await connected();
    const value = 'x'.repeat(7_000_000);
    peer.setScript(() => ({ status: 'ok', value }));
    const outcome = await begin(node, stage.read(peer)).promise;
    expect(outcome).toMatchObject({ status: 'ok' });
    expect('value' in outcome && outcome.value === value).toBe(true);
  });

  test('is not sent arguments that do not fit into a frame', async () => {
    const peer = await connected();
    const command = '\u0001'.repeat(2_000_000);
    const outcome = await begin(node, stage.command(peer, { arguments: { command } })).promise;
    expect(outcome).toMatchObject({ status: 'error', message: expect.stringContaining('too large') });
    expect(peer.received).toEqual([]);
  });

  test('cannot answer for another machine', async () => {
    const [peer, other] = [await connected(), await connected()];
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const { promise, progress } = begin(node, request);
    await peer.receives('operation');
    other.send({ type: 'progress', id: request.id, text: 'false' });
    other.send({ type: 'result', id: request.id, outcome: { status: 'ok', value: 'false' } });
    expect(await begin(node, stage.read(other)).promise).toEqual(done);
    peer.finish(request.id);
    expect(await promise).toEqual(done);
    expect(progress).toEqual([]);
  });

  test('serves two callers of one operation', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const callers = [begin(node, request), begin(node, request)];
    await until('both have sent it', () => peer.received.length === 2);
    peer.finish(request.id);
    expect(await Promise.all(callers.map(({ promise }) => promise))).toEqual([done, done]);
    expect(peer.carriedOut).toEqual([request.id]);
  });
});

describe('what is recorded', () => {
  test('an operation with effects, before it is sent', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const { promise } = begin(node, request);
    await peer.receives('operation');
    expect(await recorded(request.id)).toEqual({ machine_id: peer.machineId, name: 'run_command' });
    peer.finish(request.id);
    await promise;
  });

  test('nothing of operations without effects, nor when a tool is tested', async () => {
    const peer = await connected();
    const requests = [stage.read(peer), stage.command(peer, { conversationId: undefined })];
    for (const request of requests) {
      expect(await begin(node, request).promise).toEqual(done);
      expect(await recorded(request.id)).toBeUndefined();
    }
  });
});

describe('a machine that cannot be reached', () => {
  test('is offline if it does not connect in time', async () => {
    const peer = await stage.pair();
    const request = stage.command(peer);
    await expect(begin(node, request).promise).rejects.toEqual(offline);
    expect(await recorded(request.id)).toBeUndefined();
  });

  test('gets the operation if it connects in time', async () => {
    const peer = await stage.pair();
    const { promise } = begin(patient, stage.command(peer));
    await peer.connect(patient.url);
    expect(await promise).toEqual(done);
  });

  test('is not found if it is unknown, revoked or of another workspace', async () => {
    const [revoked, foreign] = [await connected(), await stage.pair(await stage.addWorkspace())];
    await foreign.connect(node.url);
    await node.machines.revoke(stage.workspaceId, revoked.machineId);
    await until('its connection is closed', () => !revoked.isConnected());
    for (const machineId of [newId(), revoked.machineId, foreign.machineId])
      await expect(begin(node, stage.command(foreign, { machineId })).promise).rejects.toEqual(missing);
    expect(foreign.received).toEqual([]);
  });

  test('leaves an unknown outcome if it is revoked in the middle', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const { promise } = begin(node, stage.command(peer));
    await peer.receives('operation');
    await node.machines.revoke(stage.workspaceId, peer.machineId);
    expect(await promise).toMatchObject({ ...unknown, message: expect.stringContaining('revoked') });
  });

  test('is given up if it does not answer in time, and never starts late', async () => {
    const peer = await connected(patient);
    peer.setScript(() => 'hold');
    const { promise } = begin(patient, stage.command(peer, { timeLimitMs: 100 }));
    expect(await promise).toEqual({ status: 'error', message: 'It was cancelled.' });
  });

  test('leaves an unknown outcome if it does not answer at all', async () => {
    const peer = await connected();
    peer.fallSilent();
    const { promise } = begin(node, stage.command(peer, { timeLimitMs: 100 }));
    expect(await promise).toMatchObject({ ...unknown, message: expect.stringContaining('in time') });
  });
});

describe('a machine that goes offline and stays away', () => {
  const message = expect.stringContaining('went offline');
  const isGone = { status: 'unknown', message };

  test('is shown at once, ends the operation as unknown, and reports the outcome when it is back', async () => {
    const peer = await connected(impatient);
    peer.setScript(() => 'hold');
    const request = stage.command(peer, { timeLimitMs: 3_600_000 });
    const { promise, progress } = begin(impatient, request);
    await peer.receives('operation');
    await stage.takeOffline(peer);
    await until('it is shown', () => progress.some((line) => line.includes('has gone offline')));
    expect(await promise).toEqual(isGone);
    expect(progress).toHaveLength(1);
    peer.finishSilently(request.id);
    await peer.connect(node.url);
    await until('the outcome is noted', () => node.lateOutcomes.some(({ id }) => id === request.id));
    expect(node.lateOutcomes).toContainEqual({ id: request.id, outcome: done });
    // Only once.
    peer.setScript(() => done);
    await peer.connect(patient.url);
    expect(await begin(patient, stage.read(peer)).promise).toEqual(done);
    expect(patient.lateOutcomes).toEqual([]);
    expect(peer.carriedOut.filter((id) => id === request.id)).toHaveLength(1);
  });

  test('ends what still runs there when it is back, and never starts what did not arrive', async () => {
    const peer = await connected(impatient);
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const { promise } = begin(impatient, request);
    await peer.receives('operation');
    await stage.takeOffline(peer);
    expect(await promise).toEqual(isGone);
    await peer.connect(impatient.url);
    await until('it is noted', () => impatient.lateOutcomes.some(({ id }) => id === request.id));
    const [first, ...repeated] = peer.received;
    expect(first).toMatchObject({ type: 'operation', arguments: { command: 'make' } });
    expect(repeated).toMatchObject([{ type: 'cancel' }, { type: 'operation', arguments: {} }]);
  });

  test('is not told to cancel what the next node waits for, when the first died before it wrote the end', async () => {
    const peer = await connected(impatient);
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const { promise } = begin(impatient, request);
    await peer.receives('operation');
    await stage.takeOffline(peer);
    expect(await promise).toEqual(isGone);
    const again = begin(patient, request);
    await until('it is waited for again', () => again.progress.length > 0);
    peer.finishSilently(request.id);
    await peer.connect(patient.url);
    expect(await again.promise).toEqual(done);
    expect(peer.received.map(({ type }) => type)).not.toContain('cancel');
    expect(patient.lateOutcomes).toEqual([]);
  });

  test('is heard even if the outcome of another operation cannot be noted, which is dropped in the end', async () => {
    const brief = await stage.start({ offlineMs: 10, noteMs: 2_000 });
    const peer = await connected(brief);
    peer.setScript(() => 'hold');
    const requests = [stage.command(peer), stage.command(peer)];
    const begun = requests.map((request) => begin(brief, request).promise);
    await until('both are sent', () => peer.received.length === 2);
    await stage.takeOffline(peer);
    expect(await Promise.all(begun)).toEqual([isGone, isGone]);
    const [broken = '', good = ''] = requests.map(({ id }) => id);
    brief.unnotable.add(broken);
    for (const { id } of requests) peer.finishSilently(id);
    await peer.connect(brief.url);
    await until('the other is noted', () => brief.lateOutcomes.some(({ id }) => id === good));
    const lost = `select id from machine_calls where lost_at is not null and id = '${broken}'`;
    await until('it is dropped', async () => {
      const { rows } = await stage.database.acrossWorkspaces.execute(lost);
      return rows.length === 0;
    });
    expect(brief.logged.filter((line) => line.includes('could not be noted'))).toHaveLength(1);
  });

  test('as another instance, is not asked', async () => {
    const peer = await connected(impatient);
    peer.setScript(() => 'hold');
    const { promise } = begin(impatient, stage.command(peer));
    await peer.receives('operation');
    await stage.takeOffline(peer);
    expect(await promise).toEqual(isGone);
    peer.reinstall();
    await peer.connect(impatient.url);
    peer.setScript(() => done);
    expect(await begin(impatient, stage.read(peer)).promise).toEqual(done);
    expect(peer.received).toHaveLength(2);
  });

  test('ends a reading operation too', async () => {
    const peer = await connected(impatient);
    peer.setScript(() => 'hold');
    const { promise } = begin(impatient, stage.read(peer));
    await peer.receives('operation');
    await stage.takeOffline(peer);
    expect(await promise).toEqual(isGone);
  });

  test('is shown to be connected again if it comes back in time', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const { promise, progress } = begin(node, request);
    await peer.receives('operation');
    await stage.takeOffline(peer);
    await until('it is shown', () => progress.length === 1);
    peer.finishSilently(request.id);
    await peer.connect(node.url);
    expect(await promise).toEqual(done);
    expect(progress).toEqual([expect.stringContaining('30 seconds'), 'The machine is connected again.\n']);
  });
});

describe('a machine that reconnects', () => {
  test('is sent the operation again and carries it out once', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const { promise } = begin(node, request);
    await peer.receives('operation');
    await peer.disconnect();
    peer.finishSilently(request.id);
    await peer.connect(node.url);
    expect(await promise).toEqual(done);
    expect(peer.received).toHaveLength(2);
    expect(peer.carriedOut).toEqual([request.id]);
  });

  test('before its node has noticed, is welcomed before it is sent the operation again', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const { promise } = begin(node, request);
    await peer.receives('operation');
    await peer.connect(node.url);
    await until('it is sent again', () => peer.received.length === 2);
    peer.finish(request.id);
    expect(await promise).toEqual(done);
  });

  test('as another instance, never carries out an operation of the first', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const { promise } = begin(node, request);
    await peer.receives('operation');
    await peer.disconnect();
    peer.reinstall();
    await peer.connect(node.url);
    expect(await promise).toMatchObject({ ...unknown, message: expect.stringContaining('record') });
    // Nor for the node that continues the turn.
    expect(await begin(node, request).promise).toMatchObject(unknown);
    expect(peer.carriedOut).toEqual([request.id]);
  });
});

describe('a turn that continues after a crash', () => {
  test('gets the stored result', async () => {
    const peer = await connected();
    const request = stage.command(peer);
    const first = begin(node, request);
    await first.promise;
    expect(await begin(node, request).promise).toEqual(done);
    expect(peer.carriedOut).toEqual([request.id]);
  });

  test('waits for a machine that may have received the operation, and is not told that it is offline', async () => {
    const peer = await connected();
    const request = stage.command(peer);
    await begin(node, request).promise;
    await stage.takeOffline(peer);
    // Longer than a machine is waited for that never received anything.
    expect(await begin(node, { ...request, timeLimitMs: 1_000 }).promise).toMatchObject(unknown);
  });

  test('does not send the operation to another machine', async () => {
    const [peer, other] = [await connected(), await connected()];
    const request = stage.command(peer);
    await begin(node, request).promise;
    const moved = { ...request, machineId: other.machineId };
    expect(await begin(node, moved).promise).toMatchObject(unknown);
    expect(other.received).toEqual([]);
  });
});

describe('an operation that is stopped', () => {
  test('is cancelled on the machine', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const running = begin(node, request);
    await peer.receives('operation');
    const reason = new Error('Stopped.');
    running.abort(reason);
    await expect(running.promise).rejects.toBe(reason);
    await peer.receives('cancel', request.id);
  });

  test('is never sent if it waits for its machine', async () => {
    const peer = await stage.pair();
    const waiting = begin(node, stage.command(peer));
    const reason = new Error('Stopped.');
    waiting.abort(reason);
    await expect(waiting.promise).rejects.toBe(reason);
    await peer.connect(node.url);
    await peer.receives('cancel');
    expect(peer.carriedOut).toEqual([]);
  });

  test('keeps running if its turn continues on another node', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const running = begin(node, request);
    await peer.receives('operation');
    running.abort(new ContinuesElsewhere('Handed over.'));
    await expect(running.promise).rejects.toBeInstanceOf(ContinuesElsewhere);
    const successor = begin(node, request);
    await until('it is sent again', () => peer.received.length === 2);
    peer.finish(request.id);
    expect(await successor.promise).toEqual(done);
    expect(peer.received.map(({ type }) => type)).toEqual(['operation', 'operation']);
  });

  test('is cancelled by its id, even if the machine has to reconnect first', async () => {
    const peer = await connected();
    peer.setScript(() => 'hold');
    const request = stage.command(peer);
    const { promise } = begin(node, request);
    await peer.receives('operation');
    await peer.disconnect();
    await node.operations.cancel(await stage.addWorkspace(), [request.id]);
    await peer.connect(node.url);
    await until('it is sent again', () => peer.received.length === 2);
    expect(peer.received.every(({ type }) => type === 'operation')).toBe(true);
    // The node has not noticed yet that the connection is gone.
    const gone = peer.disconnect();
    await node.operations.cancel(stage.workspaceId, [request.id, newId()]);
    await gone;
    await peer.connect(node.url);
    expect(await promise).toEqual({ status: 'error', message: 'It was cancelled.' });
  });
});
