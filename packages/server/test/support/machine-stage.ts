import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Outcome } from '@svc/contract/machine-protocol';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { newId } from '../../src/lib/new-id.ts';
import type { OperationRequest } from '../../src/machines/operations/machine-operation.ts';
import type { Times } from '../../src/machines/operations/times.ts';
import { hashKey } from '../../src/secrets/bearer-key.ts';
import { startTcpProxy, type TcpProxy } from './faults/tcp-proxy.ts';
import { until } from './faults/until.ts';
import { type MachineNode, startMachineNode } from './machine-node.ts';
import { createMachinePeer, type MachinePeer } from './machine-peer.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export interface PairedPeer extends MachinePeer {
  machineId: string;
}

/** A node that reaches its database through a proxy. */
export interface ProxiedNode extends MachineNode {
  database: Database;
  proxy: TcpProxy;
}

export interface MachineStage extends Pick<TestDatabase, 'database' | 'environment'> {
  workspaceId: string;
  conversationId: string;
  start(times?: Partial<Times>): Promise<MachineNode>;
  startBehindProxy(times?: Partial<Times>): Promise<ProxiedNode>;
  /** A machine that is paired but not connected. */
  pair(workspaceId?: string): Promise<PairedPeer>;
  addWorkspace(): Promise<string>;
  /** Disconnects it and waits until its node has noticed. */
  takeOffline(peer: PairedPeer): Promise<void>;
  /** A command of the conversation, as its turn requests it. */
  command(peer: PairedPeer, changes?: Partial<OperationRequest>): OperationRequest;
  /** A reading operation. */
  read(peer: PairedPeer): OperationRequest;
  /** Ends all nodes and machines, and drops the database. */
  end(): Promise<void>;
}

/** A database with nodes and machines for one file of tests. */
export async function openMachineStage(): Promise<MachineStage> {
  const store = await createTestDatabase();
  const { database } = store;
  const ends: (() => Promise<void>)[] = [];
  const workspaceId = await addWorkspace();
  const botId = newId();
  const conversationId = newId();
  await database.acrossWorkspaces.execute(
    `insert into bots (id, workspace_id, name, system_prompt) values ('${botId}', '${workspaceId}', 'Ada', '')`,
  );
  await database.acrossWorkspaces.execute(`insert into conversations (id, workspace_id, bot_id, channel, title)
    values ('${conversationId}', '${workspaceId}', '${botId}', 'chat', '')`);

  async function addWorkspace(): Promise<string> {
    const id = newId();
    await database.acrossWorkspaces.execute(`insert into workspaces (id, name) values ('${id}', 'Ours')`);
    return id;
  }

  function requestTo({ machineId }: PairedPeer) {
    const target = { id: newId(), workspaceId, machineId, workdir: '/project' };
    return { ...target, botId, conversationId, timeLimitMs: 60_000 };
  }

  async function startOn(nodeDatabase: Database, times?: Partial<Times>): Promise<MachineNode> {
    const node = await startMachineNode(nodeDatabase, times);
    ends.unshift(() => node.stop());
    return node;
  }

  return {
    database,
    environment: store.environment,
    workspaceId,
    conversationId,
    addWorkspace,
    start: (times) => startOn(database, times),
    async startBehindProxy(times) {
      const { host, port, user, password, database: name } = store.connection;
      const proxy = await startTcpProxy(() => connect(join(String(host), `.s.PGSQL.${port}`)));
      const connection = { host: '127.0.0.1', port: proxy.port, user, password, database: name };
      const proxied = openDatabase({ connection, maxConnections: 4, onConnectionError: () => undefined });
      ends.unshift(async () => {
        await proxied.close();
        await proxy.close();
      });
      return Object.assign(await startOn(proxied, times), { proxy, database: proxied });
    },
    async pair(ownerId = workspaceId) {
      const machineId = newId();
      const key = `svc_mk_${randomBytes(32).toString('base64url')}`;
      await database.acrossWorkspaces.execute(`insert into machines (id, workspace_id, name, hash, hint)
        values ('${machineId}', '${ownerId}', 'laptop', '\\x${hashKey(key).toString('hex')}', '${key.slice(-4)}')`);
      const peer = createMachinePeer(key);
      ends.unshift(() => peer.disconnect());
      return Object.assign(peer, { machineId });
    },
    async takeOffline(peer) {
      await peer.disconnect();
      const online = `select 1 from machines where id = '${peer.machineId}' and node_id is not null`;
      await until(
        'the machine is offline',
        async () => (await database.acrossWorkspaces.execute(online)).rowCount === 0,
      );
    },
    command: (peer, changes = {}) => ({
      ...requestTo(peer),
      name: 'run_command',
      arguments: { command: 'make' },
      ...changes,
    }),
    read: (peer) => ({ ...requestTo(peer), name: 'read_file', arguments: { path: 'a' } }),
    async end() {
      for (const endOne of ends.splice(0)) await endOne();
      await store.drop();
    },
  };
}

export interface Performance {
  promise: Promise<Outcome>;
  progress: string[];
  abort(reason: unknown): void;
}

/** Starts an operation on a node. */
export function begin(node: MachineNode, request: OperationRequest): Performance {
  const aborter = new AbortController();
  const progress: string[] = [];
  const promise = node.operations.perform(request, {
    signal: aborter.signal,
    onProgress: (text) => void progress.push(text),
  });
  // Tests look at it later.
  promise.catch(() => undefined);
  return { promise, progress, abort: (reason) => aborter.abort(reason) };
}
