import pg from 'pg';
import type { CleanUp } from '../support/clean-up.ts';
import { createCleanUp } from '../support/clean-up.ts';
import type { TurnsJob } from '../support/generator/job.ts';
import { type Generator, startGenerator } from '../support/generator/start.ts';
import { type MeasuredProcess, startProcess } from '../support/start-process.ts';
import { type MeasuredService, startService } from '../support/start-service.ts';
import { createBot } from './create-bot.ts';

/** 60 tokens at once, or one every 20 ms. */
export type Pace = 'at-once' | 'paced';

/** A user who asks for one more conversation, or one who never wrote before. */
export type User = 'known' | 'new';

/** Something that answers a message with a stream of tokens. */
export interface Contender extends MeasuredProcess {
  /** One message in a conversation of its own. */
  job(
    pace: Pace,
    user?: User,
  ): Pick<TurnsJob, 'kind' | 'headers' | 'body' | 'newUsers' | 'endMark'> & { url: string };
}

export interface Service extends Contender, Pick<MeasuredService, 'key' | 'connection'> {
  bot: Record<Pace, string>;
  /** Sends a statement to its database. */
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
}

export interface Stage {
  /** The load; a second one for what is too much for one process. */
  generators: [Generator, Generator];
  /** The model itself, asked without the service in between. */
  model: Contender;
  baseline: Contender;
  ours: Service;
  /** One more service, with an empty database of its own. */
  startAnother(): Promise<Service>;
}

const messages = {
  known: { message: 'Where is my parcel?', external_user_id: 'customer-17', new_conversation: true },
  new: { message: 'Where is my parcel?' },
};

/** Everything started afresh for one measurement, and ended after it. */
export async function onStage<Outcome>(work: (stage: Stage) => Promise<Outcome>): Promise<Outcome> {
  const cleanUp = createCleanUp();
  try {
    return await work(await setUp(cleanUp));
  } finally {
    await cleanUp.run();
  }
}

export function startModel(cleanUp: CleanUp): Promise<MeasuredProcess> {
  const file = import.meta.resolve('../support/model.ts');
  return startProcess(cleanUp, { file, readyPath: '/', environment: {} });
}

async function setUp(cleanUp: CleanUp): Promise<Stage> {
  const model = await startModel(cleanUp);
  const ours = await startContender(cleanUp, `${model.url}/v1`);
  return {
    generators: [await startGenerator(cleanUp), await startGenerator(cleanUp)],
    model: { ...model, job: (pace) => job(`${model.url}/v1/chat/completions`, { model: pace }, '[DONE]') },
    baseline: await startRelay(cleanUp, `${model.url}/v1`, ours),
    ours,
    startAnother: () => startContender(cleanUp, `${model.url}/v1`),
  };
}

export async function startRelay(
  cleanUp: CleanUp,
  modelUrl: string,
  { connection }: Pick<MeasuredService, 'connection'>,
): Promise<Contender> {
  const { host, port, user, database, password = '' } = connection;
  const relay = await startProcess(cleanUp, {
    file: import.meta.resolve('../baselines/relay-pg.ts'),
    readyPath: '/healthz',
    environment: {
      NODE_ENV: 'production',
      MODEL_URL: modelUrl,
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGDATABASE: database,
      PGPASSWORD: password,
    },
  });
  const url = `${relay.url}/api/v1/chat/send-stream`;
  return { ...relay, job: (pace) => job(url, { ...messages.known, bot_id: pace }, '[DONE]') };
}

async function startContender(cleanUp: CleanUp, modelUrl: string): Promise<Service> {
  return toContender(cleanUp, await startService(cleanUp, { OPENAI_BASE_URL: modelUrl }));
}

/** Gives a service its bots, and the benchmark a connection to its database. */
export async function toContender(cleanUp: CleanUp, service: MeasuredService): Promise<Service> {
  const client = new pg.Client(service.connection);
  await client.connect();
  await cleanUp.add(() => client.end());
  const bot = { 'at-once': await createBot(service, 'at-once'), paced: await createBot(service, 'paced') };
  const url = `${service.url}/api/v1/chat/send-stream`;
  return {
    ...service,
    bot,
    sql: async <Row extends object>(text: string, values?: unknown[]) =>
      (await client.query<Row>(text, values)).rows,
    job: (pace, user = 'known') => ({
      ...job(url, { ...messages[user], bot_id: bot[pace] }, 'event: turn.completed'),
      newUsers: user === 'new',
      headers: { authorization: `Bearer ${service.key}` },
    }),
  };
}

function job(url: string, body: object, endMark: string): ReturnType<Contender['job']> {
  return { kind: 'turns', url, headers: {}, body, endMark };
}
