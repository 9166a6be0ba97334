import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverUser } from '../../../src/database/embedded/create-cluster.ts';
import type { ScriptedModel } from '../../scripted-model/server.ts';
import { startTcpProxy, type TcpProxy } from '../../support/faults/tcp-proxy.ts';
import { until } from '../../support/faults/until.ts';
import { freePort } from '../../support/free-port.ts';
import type { History } from '../history.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type ClusterNode, createClusterNode } from './cluster-node.ts';
import { type EffectsServer, startEffectsServer } from './effects-server.ts';
import { startDirectedModel } from './model.ts';
import { databaseName, type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';

/** Everything that runs, apart from the load. */
export interface Stage {
  nodes: ClusterNode[];
  processes: number;
  postgres: PostgresServer;
  redis: RedisServer | undefined;
  balancer: Balancer;
  model: ScriptedModel;
  effects: EffectsServer;
  key: string;
  close(): Promise<void>;
}

export interface StageOptions {
  seed: number;
  nodes: number;
  /** How many processes each node has; their number is that of the rows in `nodes`. */
  processes: number;
  withRedis: boolean;
  /** The folder of the version that the nodes start with. */
  bundle: string;
  /** Files of the database and logs of the nodes. */
  directory: string;
  /** The files of a database that is already migrated, to copy. */
  preparedCluster?: string;
  /** With several, the memory of the first node is read after each. */
  rounds: number;
  history: History;
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const { seed, directory, history } = options;
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const work of closing.toReversed()) await work();
  };
  try {
    await mkdir(join(directory, 'data'), { recursive: true });
    if (options.preparedCluster !== undefined) {
      await promisify(execFile)('cp', ['-a', options.preparedCluster, join(directory, 'data/postgres')]);
    }
    const postgres = await startPostgresServer(join(directory, 'data'));
    closing.push(() => postgres.close());
    const redis = options.withRedis ? await startRedisServer(directory) : undefined;
    closing.push(() => redis?.stop('SIGKILL'));
    const model = await startDirectedModel();
    closing.push(() => model.close());
    const effects = await startEffectsServer(seed);
    closing.push(() => effects.close());
    const balancer = await startBalancer(options.nodes);
    closing.push(() => balancer.close());
    const key = `svc_sk_${randomBytes(24).toString('hex')}`;
    const shared = {
      SVC_BOOTSTRAP_KEY: key,
      SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SVC_DEFAULT_MODEL: 'openai/scripted',
      SVC_MODEL_PRICES: '{"openai/scripted":{"input":1,"output":1}}',
      SVC_PLAN_BALANCE_USD: '1000',
      SVC_EGRESS_ALLOW: '127.0.0.1',
      OPENAI_API_KEY: 'scripted',
      OPENAI_BASE_URL: model.url('openai'),
    };
    const nodes: ClusterNode[] = [];
    for (let index = 0; index < options.nodes; index += 1) {
      const database = await startProxy(() => postgres.connect());
      const redisProxy = redis && (await startProxy(() => redis.connect()));
      const node = createClusterNode({
        index,
        bundle: options.bundle,
        logFile: join(directory, `node-${index + 1}.log`),
        environment: {
          ...shared,
          SVC_DATA_DIR: join(directory, `node-${index + 1}`),
          DATABASE_URL: `postgres://${serverUser}@127.0.0.1:${database.port}/${databaseName}`,
          ...(options.processes > 1 && { SVC_PROCESSES: String(options.processes) }),
          ...(redisProxy && { REDIS_URL: `redis://127.0.0.1:${redisProxy.port}` }),
        },
        database,
        redis: redisProxy,
        inspectPort: options.rounds > 1 && index === 0 ? await freePort() : undefined,
        balancer,
        history,
      });
      closing.push(() => node.end('SIGKILL'));
      await node.start();
      // The first one creates the schema.
      if (index === 0) await until(`${node.name} is ready`, () => node.isHealthy());
      nodes.push(node);
    }
    await until('all nodes are ready', () => nodes.every((node) => node.isHealthy()));
    return { nodes, processes: options.processes, postgres, redis, balancer, model, effects, key, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function startProxy(connect: Parameters<typeof startTcpProxy>[0]): Promise<TcpProxy> {
    const proxy = await startTcpProxy(connect);
    closing.push(() => proxy.close());
    return proxy;
  }
}
