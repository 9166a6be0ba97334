import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeKey } from '../../packages/server/src/secrets/bearer-key.ts';
import { type Contender, type Service, startModel, startRelay, toContender } from '../chat/stage.ts';
import { type CleanUp, createCleanUp } from '../support/clean-up.ts';
import { type Generator, startGenerator } from '../support/generator/start.ts';
import { type Postgres, startPostgres, toUrl } from '../support/start-postgres.ts';
import { type MeasuredProcess, startProcess } from '../support/start-process.ts';
import { startRedis } from '../support/start-redis.ts';

export interface FleetOptions {
  /** Services on one database, each with a port of its own. */
  nodes?: number;
  /** SVC_PROCESSES of each. */
  processes?: number;
  redis?: boolean;
}

/** Services on one database. Used as a contender, it is its first node. */
export interface Fleet extends Service {
  nodes: MeasuredProcess[];
  redis?: MeasuredProcess;
}

export interface Stage {
  /** One sends, the other reads. */
  generators: [Generator, Generator];
  model: MeasuredProcess;
  postgres: Postgres;
  startRelay(): Promise<Contender>;
  startFleet(options?: FleetOptions): Promise<Fleet>;
}

const main = import.meta.resolve('../../packages/server/src/main.ts');

/** One PostgreSQL and one model for every service that is measured; everything is ended after it. */
export async function onStage<Outcome>(work: (stage: Stage) => Promise<Outcome>): Promise<Outcome> {
  const cleanUp = createCleanUp();
  try {
    const model = await startModel(cleanUp);
    const postgres = await startPostgres(cleanUp);
    const modelUrl = `${model.url}/v1`;
    let fleets = 0;
    return await work({
      generators: [await startGenerator(cleanUp), await startGenerator(cleanUp)],
      model,
      postgres,
      startRelay: async () =>
        startRelay(cleanUp, modelUrl, { connection: await postgres.createDatabase('relay') }),
      startFleet: (options = {}) => {
        fleets += 1;
        return startFleet(cleanUp, { postgres, database: `fleet_${fleets}`, modelUrl, ...options });
      },
    });
  } finally {
    await cleanUp.run();
  }
}

interface Setting extends FleetOptions {
  postgres: Postgres;
  database: string;
  modelUrl: string;
}

async function startFleet(cleanUp: CleanUp, setting: Setting): Promise<Fleet> {
  const { postgres, database, modelUrl, nodes: count = 1, processes = 1 } = setting;
  const connection = await postgres.createDatabase(database);
  const redis = setting.redis ? await startRedis(cleanUp) : undefined;
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  await cleanUp.add(() => rm(directory, { recursive: true, force: true }));
  const key = makeKey('svc_sk_');
  const start = () =>
    startProcess(cleanUp, {
      file: main,
      readyPath: '/readyz',
      environment: {
        DATABASE_URL: toUrl(connection),
        SVC_ENCRYPTION_KEY: encryptionKey,
        SVC_DATA_DIR: directory,
        SVC_LOG_LEVEL: 'error',
        SVC_BOOTSTRAP_KEY: key,
        OPENAI_BASE_URL: modelUrl,
        ...(redis && { REDIS_URL: redis.url }),
        ...(processes > 1 && { SVC_PROCESSES: String(processes) }),
      },
    });
  // The first one migrates the database.
  const first = await start();
  const nodes = [first, ...(await Promise.all(Array.from({ length: count - 1 }, start)))];
  return { ...(await toContender(cleanUp, { ...first, key, connection })), nodes, ...(redis && { redis }) };
}

const encryptionKey = randomBytes(32).toString('base64');
export function nodeOf({ nodes }: Fleet, index: number): MeasuredProcess {
  const node = nodes[index];
  if (!node) throw new Error(`There is no node ${index}.`);
  return node;
}
