import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { gauges } from '../../src/metrics/series.ts';
import { isFull } from '../support/sample.ts';
import { kubernetesFaults, type Manifest } from './kubernetes-faults.ts';

const run = promisify(execFile);
/** It is a text wherever it is written. */
const release = 'true';
const chart = resolve(import.meta.dirname, '../../../../deploy/helm/svc');

async function readTemplates(): Promise<string> {
  const folder = join(chart, 'templates');
  const files = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'));
  return (await Promise.all(files)).join('\n');
}

const readValues = async () => parse(await readFile(join(chart, 'values.yaml'), 'utf8')) as object;

/** The paths of all values that have nothing below them. */
function leavesOf(values: object, path = ''): string[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const isGroup = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    return isGroup && !Array.isArray(value) ? leavesOf(value, `${path}.${name}`) : [`${path}.${name}`];
  });
}

describe('the chart', () => {
  it('uses the values that values.yaml explains, and no others', async () => {
    const used = [...(await readTemplates()).matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) => path);
    const leaves = leavesOf(await readValues());
    const isBelow = (inner: string, outer: string) => `${inner}.`.startsWith(`${outer}.`);
    expect(leaves.filter((leaf) => !used.some((path) => isBelow(leaf, path)))).toEqual([]);
    expect(used.filter((path) => !leaves.some((leaf) => isBelow(leaf, path)))).toEqual([]);
  });

  it('adds pods by a metric that the service has', async () => {
    const [, metric] = /metric: \{ name: (\w+) \}/.exec(await readTemplates()) ?? [];
    expect(Object.values(gauges).map(({ name }) => name)).toContain(metric);
  });
});

/** Debian has no Helm: its Go renders the templates, with the functions that Helm has. */
describe.runIf(isFull)('the chart, rendered', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-chart-'));
    const environment = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(folder, 'cache') };
    const source = join(import.meta.dirname, 'render-chart.go');
    await run('go', ['build', '-o', join(folder, 'render'), source], {
      env: { ...process.env, ...environment },
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function render(values: object): Promise<Manifest[]> {
    const { stdout } = await run(join(folder, 'render'), [chart, release, JSON.stringify(values)]);
    const documents = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest | null);
    return documents.filter((manifest) => manifest !== null);
  }
  const publicUrl = 'https://agents.example.com';
  const everything = {
    imagePullSecrets: [{ name: 'registry' }],
    ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls' },
    trustedProxies: '10.0.0.0/24',
    secrets: ['svc', 'models'],
    autoscaling: { enabled: true },
    metrics: { podMonitor: true },
    serviceAccount: { annotations: { owner: 'agents' } },
    podAnnotations: { owner: 'agents' },
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'agents', operator: 'Exists', effect: 'NoSchedule' }],
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  };

  it.each([
    ['as little as possible', { publicUrl, metrics: { port: 0 }, resources: {} }],
    ['everything', everything],
  ])('is valid with %s', async (_name, values) => {
    const manifests = await render(values);
    // The Prometheus operator's own kind is not among those of Kubernetes.
    const own = manifests.filter(({ kind }) => kind !== 'PodMonitor');
    expect(own.length).toBeGreaterThan(4);
    expect(own.flatMap(kubernetesFaults)).toEqual([]);
  });

  it('places the migration like the nodes', async () => {
    const manifests = await render(everything);
    const { nodeSelector, tolerations, affinity } = everything;
    const pods = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
    expect(pods).toHaveLength(2);
    for (const pod of pods)
      expect(pod).toMatchObject({
        spec: { template: { spec: { nodeSelector, tolerations, affinity } } },
      });
  });

  it('has nothing secret in it: only the names of secrets', async () => {
    const manifests = await render(everything);
    expect(manifests.map(({ kind }) => kind)).not.toContain('ConfigMap');
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
    expect(JSON.stringify(manifests)).toContain(
      '"envFrom":[{"secretRef":{"name":"svc"}},{"secretRef":{"name":"models"}}]',
    );
  });

  it('passes variables on as they are written', async () => {
    const env = { COUNT: 1_000_000, PRICE: 0.25, IS_ON: true, TEXT: 'a "b": {c}, #d\n' };
    const text = JSON.stringify(await render({ publicUrl, env }));
    for (const [name, value] of Object.entries(env))
      expect(text).toContain(JSON.stringify({ name, value: String(value) }));
  });

  it('says what is missing', async () => {
    await expect(render({})).rejects.toThrow('Set publicUrl, or enable the ingress');
  });
});

describe('the check of manifests', () => {
  it('finds what Kubernetes would refuse', () => {
    const ports = [{ name: 'http', port: 'many', targetPrt: 80 }];
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'svc' }, spec: { ports } };
    const faults = kubernetesFaults(service);
    expect(faults.join()).toContain('/spec/ports/0/port type');
    expect(faults).toContain('v1 Service: /spec/ports/0/targetPrt is unknown');
  });
});
