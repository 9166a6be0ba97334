import pg from 'pg';
import type { BenchmarkOptions } from './support/benchmark.ts';
import { compare, type Metric } from './support/compare.ts';
import { load } from './support/load.ts';
import { startProcess } from './support/start-process.ts';
import { type MeasuredService, startService } from './support/start-service.ts';

const byHand = import.meta.resolve('./baselines/bots-by-hand.ts');
const connections = 16;
const bot = {
  name: 'Support',
  system_prompt: 'You help the customers of Acme. '.repeat(20),
  model: 'openai/gpt-5-mini',
  metadata: { team: 'support', region: 'emea' },
};
const metrics: Metric[] = [
  { name: 'rate', label: 'requests/s', better: 'more', digits: 0, goal: { ratio: 1.5 } },
  { name: 'p50', label: 'p50 ms', better: 'less', digits: 2 },
  { name: 'p99', label: 'p99 ms', better: 'less', digits: 2 },
  { name: 'processor', label: 'server CPU ms/request', better: 'less', digits: 3 },
];

/** Reading and creating a bot, beside a bare Fastify that sends the same statements to the same tables by hand. */
export async function bots({ cleanUp, rounds, seconds, say, show }: BenchmarkOptions): Promise<void> {
  const service = await startService(cleanUp);
  const { host, port, user, database, password = '' } = service.connection;
  const baseline = await startProcess(cleanUp, {
    file: byHand,
    readyPath: '/healthz',
    environment: {
      NODE_ENV: 'production',
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGDATABASE: database,
      PGPASSWORD: password,
    },
  });
  await liftLimit(service);
  const headers = { authorization: `Bearer ${service.key}` };
  const operations = [
    { title: 'GET /api/v1/bots/{id}', method: 'GET', path: `/api/v1/bots/${await createBot(service)}` },
    { title: 'POST /api/v1/bots', method: 'POST', path: '/api/v1/bots', body: bot },
  ];
  for (const { title, ...operation } of operations) {
    const request = { ...operation, headers, connections, seconds };
    show(
      await compare({
        title: `${title}, ${connections} at once, beside the same two statements by hand`,
        metrics,
        rounds,
        baseline: () => load(baseline, request),
        ours: () => load(service, request),
        onRound: say,
      }),
    );
  }
}

/** A measurement makes more bots than a workspace may have. */
async function liftLimit({ connection }: MeasuredService): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`update workspaces set limits = '{"stored_bots":null}'`);
  await client.end();
}

async function createBot({ url, key }: MeasuredService): Promise<string> {
  const answer = await fetch(`${url}/api/v1/bots`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(bot),
  });
  if (!answer.ok) throw new Error(`No bot was created: ${await answer.text()}`);
  const { id } = (await answer.json()) as { id: string };
  return id;
}
