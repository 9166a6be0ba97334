import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { newId } from '../../src/lib/new-id.ts';
import { createInstallationFigures } from '../../src/metrics/installation-figures.ts';
import { createMeters } from '../../src/metrics/meters.ts';
import { metricsStore } from '../../src/metrics/metrics.store.ts';
import { registerGroundGauges } from '../../src/metrics/register-ground-gauges.ts';
import {
  counters,
  databaseGauges,
  gauges,
  histograms,
  processUp,
  type Series,
} from '../../src/metrics/series.ts';
import { status, text, usage } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';

const token = 'a-token-for-scrapers';
let model: ScriptedModel;
let service: TestApp;
let botId: string;
beforeAll(async () => {
  model = await startScriptedModel();
  service = await startTestApp({
    environment: {
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.url('openai'),
      SVC_METRICS_TOKEN: token,
      SVC_METRICS_PORT: '0',
    },
  });
  const bot = { name: 'Support', system_prompt: 'x', model: 'openai/gpt-5-mini' };
  botId = (await service.call('POST /api/v1/bots', { body: bot })).body.id;
});
afterAll(async () => {
  await service.stop();
  await model.close();
});

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

async function scrape(): Promise<Sample[]> {
  const { status: code, body } = await service.call('GET /metrics', { key: token });
  expect(code).toBe(200);
  return read(body);
}

function read(body: string): Sample[] {
  const lines = body.split('\n').filter((line) => line && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    expect(name, line).not.toBe('');
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, content]) => [
      key,
      content,
    ]);
    return { name, labels: Object.fromEntries(pairs), value: Number(value) };
  });
}

function valueOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}) {
  const fits = (sample: Sample) =>
    sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value);
  return samples.find(fits)?.value;
}

/** How much a series grew during the work. */
async function growth(name: string, labels: Record<string, string>, work: () => Promise<unknown>) {
  const before = valueOf(await scrape(), name, labels) ?? 0;
  await work();
  return (valueOf(await scrape(), name, labels) ?? 0) - before;
}

function send(message = 'Hello') {
  const body = { bot_id: botId, message, external_user_id: 'u' };
  return service.call('POST /api/v1/chat/send-stream', { body });
}

it('is served with the token, and described', async () => {
  const answer = await service.call('GET /metrics', { key: token });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  for (const wrong of [null, service.key, `${token}x`, token.slice(1)]) {
    const refused = await service.call('GET /metrics', { key: wrong });
    expect([refused.status, refused.body.error?.code ?? refused.body.code]).toEqual([401, 'UNAUTHORIZED']);
  }
  const { paths } = (await service.call('GET /openapi.json')).body;
  expect(paths['/metrics'].get.security).toEqual([{ metrics_token: [] }]);
});

it('is served alone on a port of its own, without a token', async () => {
  const address = `http://127.0.0.1:${service.app.metricsPort}`;
  const answer = await fetch(`${address}/metrics`);
  expect(answer.status).toBe(200);
  expect(valueOf(read(await answer.text()), 'svc_database_up')).toBe(1);
  for (const path of ['/', '/metrics/', '/healthz', '/api/v1/bots', '/openapi.json'])
    expect((await fetch(address + path)).status, path).toBe(404);
  expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(404);
});

it('counts turns, steps, tokens and cost', async () => {
  const before = await scrape();
  model.enqueue([text('Hi'), usage(1_000, 200, 400)]);
  await send();
  const after = await scrape();
  const grown = (name: string, labels: Record<string, string>) =>
    (valueOf(after, name, labels) ?? 0) - (valueOf(before, name, labels) ?? 0);
  expect(grown('svc_turns_started_total', { channel: 'chat' })).toBe(1);
  expect(grown('svc_turns_ended_total', { outcome: 'completed' })).toBe(1);
  expect(grown('svc_turn_steps_total', { kind: 'reply' })).toBe(1);
  expect(grown('svc_model_tokens_total', { provider: 'openai', direction: 'input' })).toBe(600);
  expect(grown('svc_model_tokens_total', { provider: 'openai', direction: 'cached_input' })).toBe(400);
  expect(grown('svc_model_tokens_total', { provider: 'openai', direction: 'output' })).toBe(200);
  // 0.25, 0.025 and 2 dollars per million.
  expect(grown('svc_cost_usd_total', { kind: 'chat' })).toBeCloseTo(0.00056, 8);
  expect(grown('svc_provider_request_seconds_count', { provider: 'openai', operation: 'chat' })).toBe(1);
  expect(valueOf(after, 'svc_turns_in_progress')).toBe(0);
  expect(valueOf(after, 'svc_turn_leases', { holder: 'alive' })).toBe(0);
  expect(valueOf(after, 'svc_nodes', { state: 'alive' })).toBe(1);
  expect(valueOf(after, 'svc_queue_depth', { queue: 'run-webhooks' })).toBe(0);
  expect(valueOf(after, 'process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(valueOf(after, 'nodejs_eventloop_lag_p99_seconds')).toBeTypeOf('number');
});

it('counts a turn that could not be ended as handed over, and its end when it is resumed', async () => {
  const { acrossWorkspaces } = service.database;
  // Not by a scrape, which would keep the leases of this moment for other tests.
  const ended = async (outcome: string) => {
    const all = (await service.app.readMetrics()).find(({ name }) => name === 'svc_turns_ended_total');
    return all?.values.find(({ labels }) => labels['outcome'] === outcome)?.value;
  };
  const before = { handedOver: await ended('handed_over'), failed: await ended('failed') };
  await acrossWorkspaces.raw(
    `alter table turns add constraint cannot_fail check (status <> 'failed') not valid`,
  );
  model.respondWith([status(401)]);
  const sent = send();
  try {
    await expect.poll(() => ended('handed_over')).toBeGreaterThan(before.handedOver ?? 0);
    expect(await ended('failed')).toBe(before.failed);
  } finally {
    await acrossWorkspaces.raw('alter table turns drop constraint cannot_fail');
  }
  expect((await sent).body).toContain('event: turn.failed');
  expect(await ended('failed')).toBe((before.failed ?? 0) + 1);
  model.reset();
});

it('counts failures of providers by kind', async () => {
  const errors = { provider: 'openai', kind: 'rejected' };
  model.respondWith([status(401)]);
  expect(await growth('svc_provider_errors_total', errors, () => send())).toBe(1);
  model.reset();
});

it('counts what the guard refuses, by reason', async () => {
  const body = { description: 'x', sources: ['http://169.254.169.254/latest'] };
  const refuse = () => service.call('POST /api/v1/bots/discover', { body });
  expect(await growth('svc_egress_refusals_total', { reason: 'address' }, refuse)).toBe(1);
});

const projectFolder = new URL('../../../../', import.meta.url);
const fileIn = (path: string) => readFile(new URL(path, projectFolder), 'utf8');

/** The expressions of the dashboard and of the alerts. */
async function expressions(): Promise<string[]> {
  interface Panel {
    targets?: { expr: string }[];
  }
  const dashboard = JSON.parse(await fileIn('deploy/grafana/dashboard.json')) as { panels: Panel[] };
  const alerts = load(await fileIn('deploy/prometheus/alerts.yml')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
  };
  const rules = alerts.groups.flatMap((group) => group.rules);
  for (const { alert, annotations } of rules) expect([alert, annotations.summary]).not.toContain(undefined);
  const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
  return [...targets, ...rules].map(({ expr }) => expr);
}

it('has every series that the dashboard and the alerts name, and no others', async () => {
  const { body } = await service.call('GET /metrics', { key: token });
  const served = [...String(body).matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
  );
  const all = await expressions();
  expect(all.length).toBeGreaterThan(30);
  const named = new Set(all.flatMap((one) => one.match(/\b(?:svc|process|nodejs)_\w+/g) ?? []));
  expect([...named].filter((name) => !served.includes(name))).toEqual([]);
  const shown = (name: string) => [...named].some((one) => one === name || one.startsWith(`${name}_`));
  expect(series.map(({ name }) => name).filter((name) => !shown(name))).toEqual([]);
});

it('has every series and every alert explained in the guide', async () => {
  const guide = await fileIn('docs/monitoring.md');
  const alerts = [...(await fileIn('deploy/prometheus/alerts.yml')).matchAll(/alert: (\w+)/g)];
  const names = [...series.map(({ name }) => name), ...alerts.map(([, name = '']) => name)];
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

const series: Series[] = [counters, histograms, gauges, databaseGauges, { processUp }].flatMap((group) =>
  Object.values<Series>(group),
);

it('asks the database once in ten seconds, and not at all unless it is asked', async () => {
  let reads = 0;
  let now = 0;
  const { acrossWorkspaces } = service.database;
  const counted: Database = {
    ...service.database,
    acrossWorkspaces: {
      ...acrossWorkspaces,
      transaction(work) {
        reads += 1;
        return acrossWorkspaces.transaction(work);
      },
    },
  };
  const log = pino({ enabled: false });
  const figures = createInstallationFigures({ database: counted, log, now: () => now });
  expect(reads).toBe(0);
  await Promise.all([figures.snapshot(), figures.snapshot()]);
  now = 9_999;
  await figures.snapshot();
  expect(reads).toBe(1);
  now = 10_000;
  await figures.snapshot();
  expect(reads).toBe(2);
});

it('reads waiting work, leases and nodes, and no finished jobs', async () => {
  const { database, drop } = await createTestDatabase();
  const [alive, lost] = [newId(), newId()];
  const ago = (seconds: number) => `now() - interval '${seconds} seconds'`;
  try {
    await database.acrossWorkspaces.transaction(async (tx) => {
      // The rows that these refer to do not matter.
      await tx.raw('set local session_replication_role = replica');
      await tx.raw(`insert into nodes (id, seen_at) values ('${alive}', now()), ('${lost}', ${ago(16)})`);
      const turn = (state: string, holder: string | null) =>
        tx.raw(
          `insert into turns (id, workspace_id, conversation_id, bot_id, status, node_id)
           values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), $1, $2)`,
          [state, holder],
        );
      for (const holder of [alive, alive, lost, newId(), null]) await turn('running', holder);
      await turn('paused', null);
      await turn('completed', alive);
      await tx.raw(`insert into machine_messages (to_node, payload, created_at)
        values ('${alive}', '{}', ${ago(5)}), ('${alive}', '{}', now())`);
      await tx.raw(`insert into pgboss.job (name, state, start_after, policy) values
        ('post-call', 'created', ${ago(40)}, 'standard'), ('post-call', 'retry', ${ago(20)}, 'standard'),
        ('post-call', 'created', ${ago(-60)}, 'standard'), ('post-call', 'active', ${ago(90)}, 'standard'),
        ('dead-letter', 'created', ${ago(900)}, 'standard')`);
      await tx.raw(`insert into pgboss.job (name, state, start_after, policy)
        select 'run-webhooks', 'completed', now(), 'standard' from generate_series(1, 5000)`);
      await tx.raw(`insert into job_holders (job_id, queue, attempt, node_id)
        values (gen_random_uuid(), 'post-call', 0, '${alive}')`);
      await tx.raw('analyze pgboss.job_common');

      const rows = await metricsStore.readFiguresAcrossWorkspaces(tx);
      const found = rows.map(({ gauge, label, value }) => `${gauge} ${label} ${value}`).toSorted();
      expect(found).toEqual([
        'leases alive 2',
        'leases lost 2',
        'leases none 1',
        'leases paused 1',
        'nodes alive 1',
        'nodes lost 1',
        'queueActive post-call 1',
        'queueDepth dead-letter 1',
        'queueDepth node-commands 2',
        'queueDepth post-call 2',
        'queueDepth turns 1',
        'queueOldest node-commands 5',
        'queueOldest post-call 40',
      ]);
      const { rows: reads } = await tx.raw(
        `select seq_tup_read::int as all_read from pg_stat_xact_user_tables where relname = 'job_common'`,
      );
      expect(reads).toEqual([{ all_read: 0 }]);
    });
  } finally {
    await drop();
  }
});

it('leaves out a disk that cannot be read, and says so once', async () => {
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const meters = createMeters();
  const dataDirectory = join(fileURLToPath(import.meta.url), 'below-a-file');
  registerGroundGauges(meters, { database: service.database, dataDirectory, log });
  for (let count = 0; count < 2; count += 1) {
    const sizes = Object.fromEntries(
      (await meters.snapshot()).map(({ name, values }) => [name, values.length]),
    );
    expect(sizes).toMatchObject({ svc_data_disk_free_bytes: 0, svc_data_disk_size_bytes: 0 });
    expect(sizes['svc_database_pool_waiting']).toBeGreaterThan(0);
  }
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('ENOTDIR');
});

it('does not take slow figures for a lost database', async () => {
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const figures = createInstallationFigures({ database: service.database, log });
  const [up, ...others] = await service.database.acrossWorkspaces.transaction(async (tx) => {
    await tx.raw('lock table machine_messages in access exclusive mode');
    return figures.snapshot();
  });
  expect(up).toMatchObject({ name: 'svc_database_up', values: [{ value: 1 }] });
  expect(others).toEqual([]);
  expect(logged.join()).toContain('could not be read');
});

it('leaves out only what a lost database knows', async () => {
  const { database, drop } = await createTestDatabase();
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const figures = createInstallationFigures({ database, log });
  await drop();
  const [up, ...others] = await figures.snapshot();
  expect(up).toMatchObject({ name: 'svc_database_up', values: [{ value: 0 }] });
  expect(others).toEqual([]);
  expect(logged.join()).toContain('figures of the database');
});
