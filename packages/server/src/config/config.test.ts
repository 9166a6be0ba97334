import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { baseFolder } from '../lib/installation.ts';
import { readConfig, unknownVariables } from './config.ts';
import { ConfigError } from './config-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const path = join(folder, String(Math.random()));
  writeFileSync(path, content);
  return path;
}

const encryptionKey = Buffer.alloc(32, 7).toString('base64');

describe('configuration', () => {
  it('needs nothing', () => {
    expect(readConfig({})).toEqual({
      configFolder: join(homedir(), '.config', 'svc'),
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      processes: 1,
      dataDirectory: join(baseFolder, 'data'),
      plan: {},
      providers: {},
      modelPrices: {},
      voicePrices: {},
      dialLimits: { callsPerHour: 100, callsPerDay: 500, destinations: [] },
      corsOrigins: [],
      trustedProxies: [],
      egressAllow: [],
      dnsServers: [],
      previousEncryptionKeys: [],
      logLevel: 'info',
    });
  });

  it('reads secrets from files', () => {
    const config = readConfig({
      DATABASE_URL_FILE: file('postgres://a:b@db/svc\n'),
      SVC_ENCRYPTION_KEY_FILE: file(encryptionKey),
      OPENAI_API_KEY_FILE: file('sk-1\n'),
    });
    expect(config.databaseUrl).toBe('postgres://a:b@db/svc');
    expect(config.encryptionKey).toEqual(Buffer.alloc(32, 7));
    expect(config.providers.openai).toEqual({ apiKey: 'sk-1' });
  });

  it('reads earlier encryption keys, separated by commas or lines', () => {
    const earlier = [1, 2].map((byte) => Buffer.alloc(32, byte));
    const text = earlier.map((key) => key.toString('base64'));
    const given = { SVC_ENCRYPTION_KEY: encryptionKey };
    const straight = readConfig({ ...given, SVC_ENCRYPTION_KEY_PREVIOUS: text.join(', ') });
    const fromFile = readConfig({ ...given, SVC_ENCRYPTION_KEY_PREVIOUS_FILE: file(`${text.join('\n')}\n`) });
    expect(straight.previousEncryptionKeys).toEqual(earlier);
    expect(fromFile.previousEncryptionKeys).toEqual(earlier);
    expect(unknownVariables({ SVC_ENCRYPTION_KEY_PREVIOUS_FILE: 'x' })).toEqual([]);
  });

  it('resolves the data directory against the project', () => {
    expect(readConfig({ SVC_DATA_DIR: 'elsewhere' }).dataDirectory).toBe(join(baseFolder, 'elsewhere'));
  });

  it('takes a number of processes, or one for each core', () => {
    expect(readConfig({ SVC_PROCESSES: '3' }).processes).toBe(3);
    expect(readConfig({ SVC_PROCESSES: '64' }).processes).toBe(64);
    expect(readConfig({ SVC_PROCESSES: 'auto' }).processes).toBe(Math.min(availableParallelism(), 64));
  });

  it.each(['redis://localhost', 'rediss://svc:pa%2Fss@redis.example:6380/2', 'redis://[::1]:6379/'])(
    'takes %s as the URL of Redis',
    (url) => {
      expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url);
    },
  );

  it.each(['pa/ss', 'pa#ss', 'pa?ss', 'pa%ss'])('says that the password %s must be encoded', (password) => {
    const environment = { DATABASE_URL: `postgres://svc:${password}@database/svc` };
    expect(() => readConfig(environment)).toThrow(/^DATABASE_URL must have .* password percent-encoded\.$/);
    const encoded = `postgres://svc:${encodeURIComponent(password)}@/svc?host=%2Fvar%2Frun`;
    const SVC_ENCRYPTION_KEY = Buffer.alloc(32).toString('base64');
    expect(readConfig({ DATABASE_URL: encoded, SVC_ENCRYPTION_KEY }).databaseUrl).toBe(encoded);
  });

  it('reads where large files are, as AWS has named it', () => {
    const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY_FILE: file('secret\n') };
    expect(readConfig(keys).files).toBeUndefined();
    expect(readConfig({ ...keys, SVC_FILES: 's3://my.bucket', AWS_REGION: 'eu-central-1' }).files).toEqual({
      bucket: 'my.bucket',
      prefix: '',
      region: 'eu-central-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    });
    const elsewhere = { AWS_ENDPOINT_URL: 'https://aws.example', AWS_ENDPOINT_URL_S3: 'https://s3.example/' };
    expect(readConfig({ SVC_FILES: 's3://bucket/a/b-1/', ...elsewhere }).files).toEqual({
      bucket: 'bucket',
      prefix: 'a/b-1/',
      endpoint: 'https://s3.example',
      region: 'us-east-1',
    });
  });

  it('reads name servers', () => {
    const servers = ['10.0.0.2', '10.0.0.3:5353', 'fd00::2', '[fd00::3]:53'];
    expect(readConfig({ SVC_DNS_SERVERS: servers.join(', ') }).dnsServers).toEqual(servers);
  });

  it('reads origins of pages and trusted proxies', () => {
    const origins = ['https://app.example.com', 'http://localhost:5173', 'https://xn--bcher-kva.example'];
    expect(readConfig({ SVC_CORS_ORIGINS: origins.join(', ') }).corsOrigins).toEqual(origins);
    const proxies = ['10.0.0.7', '10.1.0.0/16', 'fd00::1', 'fd00::/8'];
    expect(readConfig({ SVC_TRUSTED_PROXIES: proxies.join(', ') }).trustedProxies).toEqual(proxies);
  });

  it.each([
    'null',
    '*',
    'app.example.com',
    'https://app.example.com/',
    'https://*.example.com/x',
    'https://App.example.com',
  ])('does not take %s as an origin', (origin) => {
    expect(() => readConfig({ SVC_CORS_ORIGINS: `https://fine.example, ${origin}` })).toThrow(
      /^SVC_CORS_ORIGINS must be exact origins/,
    );
  });

  it.each(['proxy.example.com', '10.0.0.0/33', '[::1]', '10.0.0.7:80', '*', 'true'])(
    'does not trust %s as a proxy',
    (proxy) => {
      expect(() => readConfig({ SVC_TRUSTED_PROXIES: `10.0.0.1, ${proxy}` })).toThrow(
        /^SVC_TRUSTED_PROXIES must be addresses or networks/,
      );
    },
  );

  it.each([
    ['PORT', { PORT: '70000' }],
    ['PORT', { PORT: '30x' }],
    ['SVC_PUBLIC_URL', { SVC_PUBLIC_URL: 'svc.example.com' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://x', SVC_ENCRYPTION_KEY: encryptionKey }],
    ['SVC_ENCRYPTION_KEY', { DATABASE_URL: 'postgres://x/y' }],
    ['DATABASE_REPLICA_URL', { DATABASE_REPLICA_URL: 'postgres://x/y' }],
    ['SVC_FILES', { SVC_FILES: 'my-bucket' }],
    ['SVC_FILES', { SVC_FILES: 's3://' }],
    ['SVC_FILES', { SVC_FILES: 's3://bucket//x' }],
    ['SVC_FILES', { SVC_FILES: 'https://bucket.s3.amazonaws.com' }],
    ['AWS_SECRET_ACCESS_KEY', { SVC_FILES: 's3://bucket', AWS_ACCESS_KEY_ID: 'x' }],
    ['AWS_ENDPOINT_URL_S3', { SVC_FILES: 's3://bucket', AWS_ENDPOINT_URL_S3: 'minio:9000' }],
    ['SVC_ENCRYPTION_KEY', { SVC_ENCRYPTION_KEY: 'short' }],
    ['SVC_ENCRYPTION_KEY_PREVIOUS', { SVC_ENCRYPTION_KEY_PREVIOUS: encryptionKey }],
    [
      'SVC_ENCRYPTION_KEY_PREVIOUS',
      { SVC_ENCRYPTION_KEY: encryptionKey, SVC_ENCRYPTION_KEY_PREVIOUS: `${encryptionKey},short` },
    ],
    ['REDIS_URL', { REDIS_URL: 'localhost:6379' }],
    ['REDIS_URL', { REDIS_URL: 'redis:///0' }],
    ['REDIS_URL', { REDIS_URL: 'redis://:pass%word@localhost' }],
    ['REDIS_URL', { REDIS_URL: 'redis://localhost/first' }],
    ['SVC_BOOTSTRAP_KEY', { SVC_BOOTSTRAP_KEY: 'secret' }],
    ['SVC_PLAN_MAX_BOTS', { SVC_PLAN_MAX_BOTS: '-1' }],
    ['SVC_PROCESSES must be auto or', { SVC_PROCESSES: '0' }],
    ['SVC_PROCESSES', { SVC_PROCESSES: '65' }],
    ['SVC_PROCESSES', { SVC_PROCESSES: 'all' }],
    ['SVC_RATE_LIMIT_PER_MINUTE', { SVC_RATE_LIMIT_PER_MINUTE: '0' }],
    ['SVC_RATE_LIMIT_PER_MINUTE', { SVC_RATE_LIMIT_PER_MINUTE: '1.5' }],
    ['SVC_PLAN_BALANCE_USD', { SVC_PLAN_BALANCE_USD: '1e3' }],
    ['SVC_DEFAULT_MODEL', { SVC_DEFAULT_MODEL: 'gpt' }],
    ['SVC_DEFAULT_MODEL', { SVC_DEFAULT_MODEL: 'openai/../x', OPENAI_API_KEY: 'k' }],
    ['SVC_DEFAULT_MODEL .*nobody', { SVC_DEFAULT_MODEL: 'nobody/x', OPENAI_API_KEY: 'k' }],
    ['SVC_DEFAULT_MODEL .*set OPENAI_API_KEY', { SVC_DEFAULT_MODEL: 'openai/gpt-5-mini' }],
    [
      'SVC_DEFAULT_MODEL .*set ANTHROPIC_API_KEY',
      { SVC_DEFAULT_MODEL: 'anthropic/claude', ANTHROPIC_BASE_URL: 'http://x' },
    ],
    ['SVC_DEFAULT_MODEL', { SVC_DEFAULT_MODEL: 'builtin/wizard' }],
    ['SVC_EMBEDDING_MODEL', { SVC_EMBEDDING_MODEL: 'builtin/extractive' }],
    ['SVC_EMBEDDING_MODEL', { SVC_EMBEDDING_MODEL: 'anthropic/x', ANTHROPIC_API_KEY: 'k' }],
    ['SVC_EMBEDDING_MODEL .*set GOOGLE_GENERATIVE_AI_API_KEY', { SVC_EMBEDDING_MODEL: 'google/x' }],
    ['SVC_EMBEDDING_MODEL', { SVC_EMBEDDING_MODEL: 'text-embedding-3-small' }],
    ['SVC_EGRESS_ALLOW .*bad entry', { SVC_EGRESS_ALLOW: '10.0.0.1,bad entry!' }],
    ['SVC_DNS_SERVERS', { SVC_DNS_SERVERS: 'dns.example' }],
    ['SVC_DNS_SERVERS', { SVC_DNS_SERVERS: '10.0.0.2,10.0.0.3:0' }],
    ['SVC_DNS_SERVERS', { SVC_DNS_SERVERS: '[fd00::2]:70000' }],
    ['SVC_LOG_LEVEL', { SVC_LOG_LEVEL: 'loud' }],
    ['SVC_METRICS_PORT', { SVC_METRICS_PORT: '65536' }],
    ['SVC_METRICS_PORT', { PORT: '9464', SVC_METRICS_PORT: '9464' }],
    ['SVC_METRICS_TOKEN', { SVC_METRICS_TOKEN: 'short' }],
    ['SVC_MODEL_PRICES', { SVC_MODEL_PRICES: '{"openai/x":{"input":1}}' }],
    ['SVC_MODEL_PRICES', { SVC_MODEL_PRICES: 'cheap' }],
    ['SVC_VOICE_PRICES', { SVC_VOICE_PRICES: '{"speaking":1}' }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'canary' },
    ],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' },
    ],
    ['OPENAI_API_KEY_FILE', { OPENAI_API_KEY_FILE: join(folder, 'absent') }],
    ['OPENAI_API_KEY', { OPENAI_API_KEY: 'a', OPENAI_API_KEY_FILE: '/dev/null' }],
  ])('stops on a bad %s with one sentence that names it', (variable, environment) => {
    const attempt = () => readConfig(environment);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(new RegExp(`^[^\\n]*${variable}[^\\n]*\\.$`));
  });

  it('takes a default model of a provider that is configured, or the built-in one', () => {
    for (const [environment, model] of [
      [{ OPENAI_BASE_URL: 'http://x' }, 'openai/meta-llama/llama-4:free'],
      [{ ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-sonnet-5-5'],
      [{}, 'builtin/extractive'],
    ] as const) {
      expect(readConfig({ ...environment, SVC_DEFAULT_MODEL: model }).defaultModel).toBe(model);
    }
    const local = { SVC_EMBEDDING_MODEL: 'builtin/sentence-encoder' };
    expect(readConfig(local).embeddingModel).toBe('builtin/sentence-encoder');
  });

  it('never repeats a secret in its complaint', () => {
    expect(() => readConfig({ SVC_BOOTSTRAP_KEY: 'svc_sk_canary' })).not.toThrow(/canary/);
    expect(() => readConfig({ DATABASE_URL: 'mysql://u:canary@h/d' })).not.toThrow(/canary/);
  });

  it('serves metrics only where a port or a token is set', () => {
    expect(readConfig({}).metrics).toBeUndefined();
    expect(readConfig({ SVC_METRICS_PORT: '9464' }).metrics).toEqual({ port: 9464 });
    const token = 'a-token-of-16-characters';
    expect(readConfig({ SVC_METRICS_TOKEN_FILE: file(`${token}\n`) }).metrics).toEqual({ token });
  });

  it('sends telemetry only where an endpoint is set', () => {
    expect(readConfig({ OTEL_SERVICE_NAME: 'x' }).telemetry).toBeUndefined();
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: file('api-key=a%20b==, x-team=c\n'),
    };
    expect(readConfig(environment).telemetry).toEqual({
      endpoint: 'http://collector:4318',
      headers: { 'api-key': 'a b==', 'x-team': 'c' },
      serviceName: 'svc',
      captureContent: false,
    });
  });

  it('notices variables that are probably misspelt', () => {
    expect(unknownVariables({ SVC_DATADIR: 'x', SVC_ENCRYPTION_KEY_FILE: 'y', PATH: 'z' })).toEqual([
      'SVC_DATADIR',
    ]);
  });
});
