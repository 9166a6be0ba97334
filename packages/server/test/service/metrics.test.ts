import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createInstallationFigures } from '../../src/metrics/installation-figures.ts';
import { counters, databaseGauges, gauges, histograms, type Series } from '../../src/metrics/series.ts';
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
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, content]) => [key, content]);
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
  expect(valueOf(after, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
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

const series: Series[] = [counters, histograms, gauges, databaseGauges].flatMap((group) =>
  Object.values<Series>(group),
);

it('has a bounded number of series, whatever callers send', async () => {
  const hostile = (index: number) => `x${index}"} 1\nsvc_evil{a="${index}`;
  for (let index = 0; index < 20; index += 1) {
    await service.call(`GET /${encodeURIComponent(hostile(index))}`);
    await service.call('POST /api/v1/chat/send', {
      body: { bot_id: botId, message: hostile(index), external_user_id: hostile(index) },
      headers: { 'x-request-id': `request-${index}` },
    });
    await service.call('POST /api/v1/bots', {
      body: { name: hostile(index), system_prompt: 'x', model: `openai/model-${index}` },
    });
  }
  const samples = (await scrape()).filter(({ name }) => name.startsWith('svc_'));
  const sizeOf = ({ labels }: Series) =>
    Object.values(labels).reduce((product, values) => product * (values.length + 1), 1);
  for (const { name, labels } of samples) {
    const known = series.find((one) => name === one.name || name.startsWith(`${one.name}_`));
    expect(known, name).toBeDefined();
    for (const [label, value] of Object.entries(labels)) {
      if (label === 'le') continue;
      expect([...(known?.labels[label] ?? []), 'other'], `${name} ${label}`).toContain(value);
    }
  }
  for (const one of series) {
    const found = samples.filter(({ name }) => name === one.name);
    expect(found.length, one.name).toBeLessThanOrEqual(sizeOf(one));
  }
});

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
