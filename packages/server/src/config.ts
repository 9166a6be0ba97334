import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { createAllowList } from './egress/allow-list.ts';
import { isNameServer } from './egress/name-server.ts';
import { modelFault } from './models/model-id.ts';
import { parsePrices } from './models/parse-prices.ts';
import type { PriceOverrides } from './models/price-of.ts';
import type { ProviderAccess, ProviderConfig, ProviderConfigs } from './models/providers/provider.ts';
import { providers as knownProviders } from './models/providers/providers.ts';
import { parsePairs } from './parse-pairs.ts';
import { maxProcesses, parseProcessCount } from './parse-process-count.ts';
import { isRedisUrl } from './redis-url.ts';
import { looksLikeKey } from './secrets/bearer-key.ts';
import { parseSmtp, type SmtpConfig } from './smtp-config.ts';
import { withoutUndefined } from './without-undefined.ts';

/** The project's folder: relative paths in the configuration start here, whatever the working directory is. */
export const projectFolder = resolve(import.meta.dirname, '../../..');

export interface Config {
  host: string;
  port: number;
  publicUrl: string;
  /** How many processes of this machine serve the port. */
  processes: number;
  dataDirectory: string;
  databaseUrl?: string;
  /** Redis or Valkey, which connects all nodes. */
  redisUrl?: string;
  encryptionKey?: Buffer;
  /** Still used for decryption, not for encryption. */
  previousEncryptionKeys: Buffer[];
  bootstrapKey?: string;
  /** For commands that are clients of a running service; the service itself does not use it. */
  apiKey?: string;
  /** For commands in which a person edits something. */
  editor?: string;
  plan: { maxBots?: number; balanceUsd?: string };
  /** Per account key, for workspaces without a limit of their own. */
  rateLimitPerMinute?: number;
  providers: ProviderConfigs;
  defaultModel?: string;
  /** What knowledge is embedded with. */
  embeddingModel?: string;
  modelPrices: PriceOverrides;
  egressAllow: string[];
  /** Resolve public names in place of the system's servers: `ip` or `ip:port`. */
  dnsServers: string[];
  logLevel: string;
  telemetry?: TelemetryConfig;
  /** The service's own mail server, for notices. */
  smtp?: SmtpConfig;
}

export interface TelemetryConfig {
  endpoint: string;
  /** Secret: collectors take their keys here. */
  headers: Record<string, string>;
  serviceName: string;
  /** Prompts and replies are recorded, too. */
  captureContent: boolean;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

const known = new Set([
  'SVC_API_KEY',
  'SVC_BOOTSTRAP_KEY',
  'SVC_DATA_DIR',
  'SVC_DEFAULT_MODEL',
  'SVC_DNS_SERVERS',
  'SVC_EGRESS_ALLOW',
  'SVC_EMBEDDING_MODEL',
  'SVC_ENCRYPTION_KEY',
  'SVC_ENCRYPTION_KEY_PREVIOUS',
  'SVC_LOG_LEVEL',
  'SVC_MODEL_PRICES',
  'SVC_PLAN_BALANCE_USD',
  'SVC_PLAN_MAX_BOTS',
  'SVC_PROCESSES',
  'SVC_PUBLIC_URL',
  'SVC_RATE_LIMIT_PER_MINUTE',
  'SVC_SMTP_FROM',
  'SVC_SMTP_URL',
  'SVC_URL',
]);

/** Variables that look like ours and are not: probably misspelt. The daemon on paired machines has its own. */
export function unknownVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  return Object.keys(environment).filter(
    (name) => /^SVC_(?!MACHINE_)/.test(name) && !known.has(name.replace(/_FILE$/, '')),
  );
}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const read = createReader(environment);
  const host = read.text('HOST') ?? '127.0.0.1';
  const port = read.integer('PORT', 0, 65_535) ?? 3000;
  const databaseUrl = read.secretUrl('DATABASE_URL', ['postgres:', 'postgresql:']);
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
  const bootstrapKey = read.secret('SVC_BOOTSTRAP_KEY');
  if (bootstrapKey && !looksLikeKey('svc_sk_', bootstrapKey)) {
    throw new ConfigError('SVC_BOOTSTRAP_KEY must be svc_sk_ followed by at least 32 letters or digits.');
  }
  const providers = read.providers();
  return withoutUndefined({
    host,
    port,
    publicUrl: read.url('SVC_PUBLIC_URL') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    processes: read.processes('SVC_PROCESSES'),
    dataDirectory: resolve(projectFolder, read.text('SVC_DATA_DIR') ?? 'data'),
    databaseUrl,
    redisUrl: read.redisUrl('REDIS_URL'),
    encryptionKey,
    previousEncryptionKeys,
    bootstrapKey,
    apiKey: read.secret('SVC_API_KEY'),
    editor: read.text('VISUAL') ?? read.text('EDITOR'),
    plan: withoutUndefined({
      maxBots: read.integer('SVC_PLAN_MAX_BOTS', 0, 1_000_000),
      balanceUsd: read.money('SVC_PLAN_BALANCE_USD'),
    }),
    rateLimitPerMinute: read.integer('SVC_RATE_LIMIT_PER_MINUTE', 1, 10_000_000),
    providers,
    defaultModel: read.modelId('SVC_DEFAULT_MODEL', (id) => modelFault(id, 'chat', providers)),
    embeddingModel: read.modelId('SVC_EMBEDDING_MODEL', (id) => modelFault(id, 'embeddings', providers)),
    modelPrices: read.prices('SVC_MODEL_PRICES'),
    egressAllow: read.allowList('SVC_EGRESS_ALLOW'),
    dnsServers: read.nameServers('SVC_DNS_SERVERS'),
    logLevel: read.oneOf('SVC_LOG_LEVEL', logLevels) ?? 'info',
    telemetry: read.telemetry(),
    smtp: read.smtp(),
  });
}

function createReader(environment: NodeJS.ProcessEnv) {
  const text = (name: string) => environment[name]?.trim() || undefined;

  /** From NAME, or from the file that NAME_FILE names. */
  const secret = (name: string) => {
    const file = text(`${name}_FILE`);
    if (!file) return text(name);
    if (text(name)) throw new ConfigError(`${name} and ${name}_FILE are both set: keep one of them.`);
    try {
      return readFileSync(resolve(projectFolder, file), 'utf8').trim() || undefined;
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      throw new ConfigError(`${name}_FILE names a file that cannot be read (${reason}).`);
    }
  };

  const matching = (name: string, pattern: RegExp, rule: string) => {
    const value = text(name);
    if (value !== undefined && !pattern.test(value)) throw new ConfigError(`${name} ${rule}.`);
    return value;
  };

  const checkedUrl = (name: string, value: string | undefined, protocols: string[]) => {
    if (value === undefined) return undefined;
    // PostgreSQL's way to name a Unix socket, `postgres://user@/database?host=/directory`, has no host where URL wants one.
    if (!protocols.includes(URL.parse(value.replace('@/', '@localhost/'))?.protocol ?? '')) {
      throw new ConfigError(`${name} must be a URL that starts with ${protocols.join('// or ')}//.`);
    }
    return value;
  };

  const url = (name: string) => checkedUrl(name, text(name), ['http:', 'https:'])?.replace(/\/+$/, '');

  const list = (name: string) =>
    (text(name) ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);

  const provider = ({ keyVariable, urlVariable }: ProviderAccess): ProviderConfig =>
    withoutUndefined({ apiKey: secret(keyVariable), baseUrl: url(urlVariable) });

  return {
    text,
    secret,
    url,
    allowList(name: string) {
      const entries = list(name);
      try {
        createAllowList(entries);
      } catch (error) {
        throw new ConfigError(`${name} cannot be used: ${(error as Error).message}`, { cause: error });
      }
      return entries;
    },
    modelId(name: string, faultOf: (id: string) => string | undefined) {
      const value = text(name);
      const fault = value && faultOf(value);
      if (fault) throw new ConfigError(`${name} ${fault}.`);
      return value;
    },
    secretUrl: (name: string, protocols: string[]) => checkedUrl(name, secret(name), protocols),
    integer(name: string, least: number, most: number) {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= least && number <= most) return number;
      throw new ConfigError(`${name} must be a whole number from ${least} to ${most}.`);
    },
    processes(name: string) {
      const count = parseProcessCount(text(name) ?? '1');
      if (count !== undefined) return count;
      throw new ConfigError(`${name} must be auto or a whole number from 1 to ${maxProcesses}.`);
    },
    money: (name: string) =>
      matching(name, /^\d{1,9}(\.\d{1,9})?$/, 'must be an amount in US dollars, for example 25 or 4.50'),
    oneOf(name: string, allowed: string[]) {
      const value = text(name);
      if (value !== undefined && !allowed.includes(value)) {
        throw new ConfigError(`${name} must be one of ${allowed.join(', ')}.`);
      }
      return value;
    },
    nameServers(name: string) {
      const servers = list(name);
      if (servers.every(isNameServer)) return servers;
      throw new ConfigError(
        `${name} must be addresses such as 10.0.0.2 or [fd00::2]:53, separated by commas.`,
      );
    },
    key(name: string) {
      const value = secret(name);
      return value === undefined ? undefined : parseKey(name, value);
    },
    keys: (name: string) =>
      (secret(name) ?? '')
        .split(/[\s,]+/)
        .filter(Boolean)
        .map((value) => parseKey(name, value)),
    prices(name: string): PriceOverrides {
      const prices = parsePrices(text(name) ?? '{}');
      if (prices) return prices;
      throw new ConfigError(
        `${name} must be JSON such as {"openai/my-model":{"input":1.25,"cached_input":0.1,"output":10}}, in US dollars per million tokens.`,
      );
    },
    providers: (): ProviderConfigs =>
      Object.fromEntries(
        knownProviders.flatMap(({ name, access }) => {
          const config = access ? provider(access) : {};
          return config.apiKey || config.baseUrl ? [[name, config]] : [];
        }),
      ),
    smtp(): SmtpConfig | undefined {
      const address = checkedUrl('SVC_SMTP_URL', secret('SVC_SMTP_URL'), ['smtp:', 'smtps:']);
      const from = matching('SVC_SMTP_FROM', /^[^\s@<>]+@[^\s@<>]+$/, 'must be an email address');
      if (address === undefined) return undefined;
      if (!from)
        throw new ConfigError('SVC_SMTP_FROM is required with SVC_SMTP_URL: the sender of all mails.');
      const smtp = parseSmtp(address, from);
      if (!smtp) throw new ConfigError('SVC_SMTP_URL must name a host.');
      return smtp;
    },
    redisUrl(name: string) {
      const value = secret(name);
      if (value === undefined || isRedisUrl(value)) return value;
      throw new ConfigError(
        `${name} must look like redis://user:password@host:6379, or rediss:// for TLS, with special characters percent-encoded.`,
      );
    },
    /** With OpenTelemetry's own variables. */
    telemetry(): TelemetryConfig | undefined {
      const endpoint = url('OTEL_EXPORTER_OTLP_ENDPOINT');
      if (endpoint === undefined) return undefined;
      const headersName = 'OTEL_EXPORTER_OTLP_HEADERS';
      const headers = parsePairs(secret(headersName) ?? '');
      if (!headers) throw new ConfigError(`${headersName} must look like name=value,name=value.`);
      return {
        endpoint,
        headers,
        serviceName: text('OTEL_SERVICE_NAME') ?? 'svc',
        captureContent: text('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')?.toLowerCase() === 'true',
      };
    },
  };
}

function parseKey(name: string, value: string): Buffer {
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length !== 32 || !/^[A-Za-z0-9+/_-]+=*$/.test(value)) {
    throw new ConfigError(`${name} must be 32 bytes as base64.`);
  }
  return bytes;
}
