import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MachineNode } from '../support/machine-node.ts';
import { begin, type MachineStage, openMachineStage, type PairedPeer } from '../support/machine-stage.ts';

let stage: MachineStage;
let node: MachineNode;
beforeAll(async () => {
  stage = await openMachineStage();
  node = await stage.start({ checkConnectMs: 500 });
});
afterAll(() => stage.end());

const offline = expect.objectContaining({ code: 'MACHINE_OFFLINE' });
const missing = expect.objectContaining({ code: 'NOT_FOUND' });

async function connected(): Promise<PairedPeer> {
  const peer = await stage.pair();
  await peer.connect(node.url);
  return peer;
}

describe('directories', () => {
  const check = (peer: PairedPeer, workdir = '/project') =>
    node.operations.checkWorkdir(stage.workspaceId, peer.machineId, workdir);

  test('are checked by the machine', async () => {
    const peer = await connected();
    peer.setScript(({ name, workdir }) =>
      name === 'check_workdir' && workdir === '/project'
        ? { status: 'ok', value: { workdir: '/real/project' } }
        : { status: 'error', message: 'It is outside the roots.' },
    );
    expect(await check(peer)).toEqual({ workdir: '/real/project' });
    expect(await check(peer, '/etc')).toEqual({ refused: 'It is outside the roots.' });
  });

  test('cannot be checked on a machine that is unknown or offline', async () => {
    const peer = await stage.pair();
    await expect(check(peer)).rejects.toEqual(offline);
    await node.machines.revoke(stage.workspaceId, peer.machineId);
    await expect(check(peer)).rejects.toEqual(missing);
  });
});

describe('changes', () => {
  const anybody = { by: 'test', requireUse: async () => undefined };
  const write = (peer: PairedPeer) => stage.command(peer, { name: 'write_file', arguments: { path: 'a' } });

  test('are reverted on the machines that made them, newest first', async () => {
    const [first, second] = [await connected(), await connected()];
    const requests = [write(first), write(second), stage.command(first), write(first)];
    for (const request of requests) await begin(node, request).promise;
    for (const peer of [first, second])
      peer.setScript(({ arguments: { operation_ids: ids } }) => ({
        status: 'ok',
        value: {
          files: (ids as string[]).map((id) => ({ operation_id: id, path: `/${id}`, outcome: 'restored' })),
        },
      }));
    const newestFirst = requests.map(({ id }) => id).toReversed();
    const files = await node.operations.revert(stage.workspaceId, newestFirst, anybody);
    const reverted = (peer: PairedPeer, index: number) => ({
      operationId: requests[index]?.id,
      machineId: peer.machineId,
      path: `/${requests[index]?.id}`,
      status: 'restored',
    });
    expect(files).toEqual([reverted(first, 3), reverted(first, 0), reverted(second, 1)]);
    expect(await node.operations.revert(await stage.addWorkspace(), newestFirst, anybody)).toEqual([]);
  });

  test('are reverted nowhere while one of the machines is offline', async () => {
    const [peer, away] = [await connected(), await connected()];
    const requests = [write(peer), write(away)];
    for (const request of requests) await begin(node, request).promise;
    const ids = requests.map(({ id }) => id);
    await stage.takeOffline(away);
    await expect(node.operations.revert(stage.workspaceId, ids, anybody)).rejects.toEqual(offline);
    expect(peer.received.map((frame) => 'name' in frame && frame.name)).toEqual(['write_file']);
  });
});
