import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { baseFolder } from '../lib/installation.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { modelFault } from '../models/model-id.ts';
import type { ProviderConfig, ProviderConfigs } from '../models/providers/provider.ts';
import { providers as knownProviders } from '../models/providers/providers.ts';
import { looksLikeKey } from '../secrets/bearer-key.ts';
import { ConfigError } from './config-error.ts';
import { type ConfigReader, createConfigReader } from './config-reader.ts';
import { readFilesConfig } from './files-config.ts';
import { parseSmtp, type SmtpConfig } from './smtp-config.ts';
import { readVoiceConfig } from './voice-config.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

const known = new Set([
  'SVC_API_KEY',
  'SVC_BACKUP_KEY',
  'SVC_BOOTSTRAP_KEY',
  'SVC_CORS_ORIGINS',
  'SVC_DATA_DIR',
  'SVC_DEFAULT_MODEL',
  'SVC_DNS_SERVERS',
  'SVC_EGRESS_ALLOW',
  'SVC_EMBEDDING_MODEL',
  'SVC_ENCRYPTION_KEY',
  'SVC_ENCRYPTION_KEY_PREVIOUS',
  'SVC_FILES',
  'SVC_LOG_LEVEL',
  'SVC_METRICS_PORT',
  'SVC_METRICS_TOKEN',
  'SVC_MODEL_PRICES',
  'SVC_PLAN_BALANCE_USD',
  'SVC_PLAN_MAX_BOTS',
  'SVC_PROCESSES',
  'SVC_PUBLIC_URL',
  'SVC_RATE_LIMIT_PER_MINUTE',
  'SVC_SMTP_FROM',
  'SVC_SMTP_URL',
  'SVC_TRUSTED_PROXIES',
  'SVC_URL',
  'SVC_VOICE_CALLS_PER_DAY',
  'SVC_VOICE_CALLS_PER_HOUR',
  'SVC_VOICE_DESTINATIONS',
  'SVC_VOICE_PRICES',
  'SVC_VOICE_TRANSPORT',
]);

/** Variables that look like ours and are not: probably misspelt. The daemon on paired machines has its own. */
export function unknownVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  return Object.keys(environment).filter(
    (name) => /^SVC_(?!MACHINE_)/.test(name) && !known.has(name.replace(/_FILE$/, '')),
  );
}

export type Config = ReturnType<typeof readConfig>;
export type DialLimits = Config['dialLimits'];
export type TelemetryConfig = NonNullable<Config['telemetry']>;

export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const read = createConfigReader(environment, baseFolder);
  const host = read.text('HOST') ?? '127.0.0.1';
  const port = read.integer('PORT', 0, 65_535) ?? 3000;
  const bootstrapKey = read.secret('SVC_BOOTSTRAP_KEY');
  if (bootstrapKey && !looksLikeKey('svc_sk_', bootstrapKey)) {
    throw new ConfigError('SVC_BOOTSTRAP_KEY must be svc_sk_ followed by at least 32 letters or digits.');
  }
  const providers = readProviders(read);
  return withoutUndefined({
    host,
    port,
    publicUrl: read.url('SVC_PUBLIC_URL') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    /** Pages of these exact origins may send requests with end-user tokens. */
    corsOrigins: read.origins('SVC_CORS_ORIGINS'),
    /** Addresses and networks of proxies, whose X-Forwarded-For is believed. */
    trustedProxies: read.networks('SVC_TRUSTED_PROXIES'),
    /** How many processes of this machine serve the port. */
    processes: read.processes('SVC_PROCESSES'),
    dataDirectory: resolve(baseFolder, read.text('SVC_DATA_DIR') ?? 'data'),
    ...readDatabaseConfig(read),
    /** The bucket for large files. Left out: they are in PostgreSQL. */
    files: readFilesConfig(read),
    /** Redis or Valkey, which connects all nodes. */
    redisUrl: read.redisUrl('REDIS_URL'),
    bootstrapKey,
    /** For commands that are clients of a running service; the service itself does not use it. */
    apiKey: read.secret('SVC_API_KEY'),
    /** For `svc backup` and `svc restore`; the service itself does not use it. */
    backupKey: read.key('SVC_BACKUP_KEY'),
    /** For commands in which a person edits something. */
    editor: read.text('VISUAL') ?? read.text('EDITOR'),
    /** Where commands keep what belongs to the person who runs them. */
    configFolder: join(read.text('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'svc'),
    plan: withoutUndefined({
      maxBots: read.integer('SVC_PLAN_MAX_BOTS', 0, 1_000_000),
      balanceUsd: read.money('SVC_PLAN_BALANCE_USD'),
    }),
    /** Per account key, for workspaces without a limit of their own. */
    rateLimitPerMinute: read.integer('SVC_RATE_LIMIT_PER_MINUTE', 1, 10_000_000),
    providers,
    defaultModel: read.modelId('SVC_DEFAULT_MODEL', (id) => modelFault(id, 'chat', providers)),
    /** What knowledge is embedded with. */
    embeddingModel: read.modelId('SVC_EMBEDDING_MODEL', (id) => modelFault(id, 'embeddings', providers)),
    modelPrices: read.prices('SVC_MODEL_PRICES'),
    voicePrices: read.voicePrices('SVC_VOICE_PRICES'),
    /** Of what bots dial, for workspaces without limits of their own. */
    dialLimits: {
      callsPerHour: read.integer('SVC_VOICE_CALLS_PER_HOUR', 0, 1_000_000) ?? 100,
      callsPerDay: read.integer('SVC_VOICE_CALLS_PER_DAY', 0, 10_000_000) ?? 500,
      /** Besides the country that a call comes from. */
      destinations: read.destinations('SVC_VOICE_DESTINATIONS'),
    },
    egressAllow: read.allowList('SVC_EGRESS_ALLOW'),
    /** Resolve public names in place of the system's servers: `ip` or `ip:port`. */
    dnsServers: read.nameServers('SVC_DNS_SERVERS'),
    logLevel: read.oneOf('SVC_LOG_LEVEL', logLevels) ?? 'info',
    telemetry: readTelemetry(read),
    /** Left out: metrics are not served. */
    metrics: readMetrics(read, port),
    /** The service's own mail server, for notices. */
    smtp: readSmtp(read),
    /** Left out: there are no telephone calls. */
    voice: readVoiceConfig(read),
  });
}

/** Where the database is, and what seals the secrets in it. */
function readDatabaseConfig(read: ConfigReader) {
  const databaseUrl = read.secretUrl('DATABASE_URL', ['postgres:', 'postgresql:']);
  const replicaUrl = read.secretUrl('DATABASE_REPLICA_URL', ['postgres:', 'postgresql:']);
  if (replicaUrl && !databaseUrl) throw new ConfigError('DATABASE_REPLICA_URL requires DATABASE_URL.');
  const encryptionKey = read.key('SVC_ENCRYPTION_KEY');
  if (databaseUrl && !encryptionKey) {
    throw new ConfigError(
      'SVC_ENCRYPTION_KEY is required with DATABASE_URL: 32 random bytes as base64, for example from `openssl rand -base64 32`.',
    );
  }
  const previousEncryptionKeys = read.keys('SVC_ENCRYPTION_KEY_PREVIOUS');
  if (previousEncryptionKeys.length > 0 && !encryptionKey) {
    throw new ConfigError('SVC_ENCRYPTION_KEY_PREVIOUS requires SVC_ENCRYPTION_KEY.');
  }
  return {
    databaseUrl,
    /** A hot standby of that database, for searches. Left out: they read from the database itself. */
    replicaUrl,
    encryptionKey,
    /** Still used for decryption, not for encryption. */
    previousEncryptionKeys,
  };
}

function readProviders(read: ConfigReader): ProviderConfigs {
  return Object.fromEntries(
    knownProviders.flatMap(({ name, access }) => {
      if (!access) return [];
      const config: ProviderConfig = withoutUndefined({
        apiKey: read.secret(access.keyVariable),
        baseUrl: read.url(access.urlVariable),
      });
      return config.apiKey || config.baseUrl ? [[name, config]] : [];
    }),
  );
}

function readSmtp(read: ConfigReader): SmtpConfig | undefined {
  const address = read.secretUrl('SVC_SMTP_URL', ['smtp:', 'smtps:']);
  const from = read.matching('SVC_SMTP_FROM', /^[^\s@<>]+@[^\s@<>]+$/, 'must be an email address');
  if (address === undefined) return undefined;
  if (!from) throw new ConfigError('SVC_SMTP_FROM is required with SVC_SMTP_URL: the sender of all mails.');
  const smtp = parseSmtp(address, from);
  if (!smtp) throw new ConfigError('SVC_SMTP_URL must name a host.');
  return smtp;
}

function readMetrics(read: ConfigReader, servicePort: number) {
  const port = read.integer('SVC_METRICS_PORT', 0, 65_535);
  const token = read.secret('SVC_METRICS_TOKEN');
  if (port !== undefined && port !== 0 && port === servicePort)
    throw new ConfigError('SVC_METRICS_PORT must differ from PORT.');
  if (token !== undefined && !/^[\x21-\x7e]{16,}$/.test(token))
    throw new ConfigError('SVC_METRICS_TOKEN must have at least 16 characters, without spaces.');
  return port === undefined && token === undefined ? undefined : withoutUndefined({ port, token });
}

/** With OpenTelemetry's own variables. */
function readTelemetry(read: ConfigReader) {
  const endpoint = read.url('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === undefined) return undefined;
  const headersName = 'OTEL_EXPORTER_OTLP_HEADERS';
  const headers = parsePairs(read.secret(headersName) ?? '');
  if (!headers) throw new ConfigError(`${headersName} must look like name=value,name=value.`);
  return {
    endpoint,
    /** Secret: collectors take their keys here. */
    headers,
    serviceName: read.text('OTEL_SERVICE_NAME') ?? 'svc',
    /** Prompts and replies are recorded, too. */
    captureContent: read.text('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')?.toLowerCase() === 'true',
  };
}

/** Parses `name=value,name=value` with percent-encoded values; undefined when the text has another form. */
function parsePairs(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  const parsed = pairs.map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      parsed.map((match) => {
        const [, name, value] = match ?? [];
        if (!name || value === undefined) throw new URIError('no pair');
        return [name, decodeURIComponent(value)];
      }),
    );
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
